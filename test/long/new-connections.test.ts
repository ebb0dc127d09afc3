import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import { deploy } from "../rig/deployed.ts";
import { project } from "../start/project-folder.ts";

const FLOOD = fileURLToPath(new URL("body-flood.mjs", import.meta.url));
const CONNECTIONS = 400;
const ASKED = 24;
const EVERY_MS = 500;
/** Two measurements on a busy machine differ by so much without any cause. */
const NOISE_MS = 30;

const SOURCE = `export default { id: "acme__here", title: "T", inputs: { type: "object", properties: {} }, run: () => ({ here: true }) };`;
const BODY = JSON.stringify({ config: { sources: { acme__here: true } } });

/** A server of Node's that reads each body and answers. */
const PLAIN = `
import http from "node:http";
const server = http.createServer((request, response) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    Buffer.concat(pieces);
    response.end("{}");
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

function start(t: TestContext, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

/** From the attempt to connect to the end of the answer, in milliseconds. */
async function askOnce(port: number, head: string): Promise<number> {
  const startedAt = performance.now();
  const socket = connect(port, "127.0.0.1");
  socket.write(`${head}Connection: close\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes.toString()));
  await once(socket, "close");
  assert.match(text, /^HTTP\/1\.1 200 /);
  return performance.now() - startedAt;
}

/** The times of new connections beside a flood, in order. */
async function timesBeside(t: TestContext, port: number, head: string): Promise<readonly number[]> {
  await askOnce(port, head);
  const flood = start(t, [FLOOD, String(port), String(CONNECTIONS), "600000"]);
  await delay(1_500);
  const times: number[] = [];
  for (let at = 0; at < ASKED; at += 1) {
    times.push(await askOnce(port, head));
    await delay(EVERY_MS);
  }
  flood.kill("SIGKILL");
  await once(flood, "exit");
  return times.sort((a, b) => a - b);
}

test("a new connection beside a flood of bodies waits at most twice as long as at a plain server", async (t) => {
  const deployment = await deploy(t, { project: project(t, { "sources/here.mjs": SOURCE }) });
  const service = await deployment.start();
  const plain = start(t, ["--input-type=module", "--eval", PLAIN]);
  const [line] = (await once(plain.stdout!, "data")) as [Buffer];

  const plainTimes = await timesBeside(t, Number(line), "POST /data HTTP/1.1\r\nHost: x\r\n");
  const times = await timesBeside(t, Number(new URL(service.url).port), deployment.head("/data"));

  const [median, plainMedian] = [times, plainTimes].map((all) => all[ASKED / 2]!) as [number, number];
  const show = (all: readonly number[]) => all.map(Math.round).join(" ");
  t.diagnostic(`plain server: ${show(plainTimes)} ms`);
  t.diagnostic(`service: ${show(times)} ms`);
  assert.ok(median <= 2 * plainMedian + NOISE_MS, `median ${median} ms, at a plain server ${plainMedian} ms`);
});
