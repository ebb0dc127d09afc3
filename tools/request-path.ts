// Prints the files whose code the main thread executes for one `POST /data` with one YAML source, on a connection that is
// open: `node tools/request-path.ts`. V8 counts (precise coverage), in the real command in a process of its own.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
const LAUNCHER = join(CHECKOUT, "bin/datarun.mjs");
/** Requests before the one that is counted, so that nothing is loaded or compiled in it. */
const WARM_UP = 20;

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

const folder = mkdtempSync(join(tmpdir(), "datarun-path-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const vendor = createServer((_, response) => {
  response.setHeader("content-type", "application/json").end('{"name":"Ada"}');
});
vendor.listen(0, "127.0.0.1");
await once(vendor, "listening");
const origin = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
mkdirSync(join(folder, "project/sources/acme"), { recursive: true });
writeFileSync(
  join(folder, "project/sources/acme/people.yaml"),
  `id: acme__people
title: People
charge: free
inputs:
  type: object
  properties: { name: { type: string } }
  required: [name]
origins: ["${origin}"]
request:
  url: ${origin}/people
  query: { name: "{{ inputs.name }}" }
match:
  record: status == \`200\` && body.name
  no_record: status == \`404\`
map: { name: body.name }
output:
  type: object
  properties: { name: { type: string } }
cases: []
`,
);

const env = {
  PATH: process.env["PATH"],
  DATARUN_DATA_DIR: join(folder, "data"),
  DATARUN_PROJECT: join(folder, "project"),
};
const verb = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args, "--json"], {
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Readonly<Record<string, string>>;
};
const org = verb("org", "create", "A")["organization_tuid"]!;
const workflow = verb("workflow", "create", "--org", org)["workflow"]!;
const token = verb("token", "create", "--org", org)["access_token"]!;

const service = spawn(
  process.execPath,
  ["--inspect=127.0.0.1:0", LAUNCHER, "start", "--port", "0", "--admin-port", "0"],
  {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  },
);
process.on("exit", () => service.kill("SIGKILL"));
const [url, debuggerUrl] = await Promise.all([
  lineOf(service.stdout, /"event":"listening".*"url":"([^"]+)"/),
  lineOf(service.stderr, /Debugger listening on (ws:\S+)/),
]);

const socket = new WebSocket(debuggerUrl);
await once(socket, "open");
let sent = 0;
async function inspect<Result>(method: string, params: object = {}): Promise<Result> {
  const id = (sent += 1);
  socket.send(JSON.stringify({ id, method, params }));
  for (;;) {
    const [{ data }] = (await once(socket, "message")) as [{ readonly data: string }];
    const message = JSON.parse(data) as { readonly id?: number; readonly result: Result };
    if (message.id === id) return message.result;
  }
}

const agent = new Agent({ keepAlive: true });
const body = JSON.stringify({ config: { sources: { acme__people: true } }, inputs: { name: "Ada" } });
async function ask(): Promise<void> {
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-service-access-token": token,
    "x-service-workflow": workflow,
  };
  const sending = request(`${url}/data`, { agent, method: "POST", headers }).end(body);
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += piece;
  if (!text.includes('"success":true')) throw new Error(text);
}

for (let time = 0; time < WARM_UP; time += 1) await ask();
await inspect("Profiler.enable");
await inspect("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await ask();
await inspect("Profiler.takePreciseCoverage");
await ask();
const { result } = await inspect<Coverage>("Profiler.takePreciseCoverage");
const root = pathToFileURL(CHECKOUT).href;
const files = result
  .filter(
    ({ url: file, functions }) =>
      file.startsWith(`${root}src/`) && functions.some(({ ranges }) => ranges[0]!.count > 0),
  )
  .map(({ url: file }) => file.slice(root.length))
  .sort();
const lines = files.reduce((sum, file) => sum + readFileSync(join(CHECKOUT, file), "utf8").split("\n").length - 1, 0);
process.stdout.write(`${files.join("\n")}\n${files.length} files, ${lines} lines\n`);
process.exit();

/** The first group of the first line that the pattern matches. */
function lineOf(stream: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    stream.on("data", (piece: Buffer) => {
      text += piece.toString();
      const found = pattern.exec(text);
      if (found !== null) resolve(found[1]!);
    });
    stream.on("end", () => reject(new Error(text)));
  });
}
