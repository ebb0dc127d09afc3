import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { until } from "../rig/until.ts";
import { startService, type TestService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";

/** A service at which organization A has as many runs under way as it may. */
async function full(t: TestContext) {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const waits = source("acme__waits", async () => {
    begun.resolve();
    await held.promise;
    return {};
  });
  const service = await startService(t, {
    sources: [waits],
    settings: { "limits.runs_per_organization": 1 },
  });
  const first = service.run({ acme__waits: true });
  await begun.promise;
  t.after(() => held.resolve());
  const end = async () => {
    held.resolve();
    assert.equal((await first).statusCode, 200);
  };
  return { service, end };
}

const BODY = JSON.stringify({ config: { sources: { ok__echo: true } } });

interface Asking {
  readonly socket: Socket;
  readonly answer: string;
}

/** A client whose connection the service has taken up. */
async function client(service: TestService, answered: () => void): Promise<Asking> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  const asking = { socket, answer: "" };
  socket.on("error", () => {}).write("GET /status HTTP/1.1\r\nHost: test\r\n\r\n");
  await once(socket, "data");
  socket.on("data", (bytes: Buffer) => {
    if (asking.answer === "") answered();
    asking.answer += bytes.toString();
  });
  return asking;
}

function clients(service: TestService, count: number, answered: () => void): Promise<readonly Asking[]> {
  return Promise.all(Array.from({ length: count }, () => client(service, answered)));
}

function requestOf({ token, workflow }: TestService["a"], body = BODY): string {
  return `POST /data HTTP/1.1\r\nHost: test\r\nX-Service-Access-Token: ${token}\r\nX-Service-Workflow: ${workflow}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

test("hundreds who are refused at once keep nobody of another organization waiting", async (t) => {
  const { service, end } = await full(t);
  assert.equal((await service.post("/data", {}, { as: service.b })).statusCode, 422, "it is known from now on");
  let refused = 0;
  let refusedBefore = Number.NaN;
  const noisy = await clients(service, 300, () => (refused += 1));
  const [other] = await clients(service, 1, () => (refusedBefore = refused));

  for (const { socket } of noisy) socket.write(requestOf(service.a));
  other!.socket.write(requestOf(service.b, "{}"));
  await until(() => refused === noisy.length);

  assert.match(other!.answer, /^HTTP\/1\.1 422 /);
  assert.ok(refusedBefore < noisy.length / 2, `${refusedBefore} were refused before it was answered`);
  for (const { answer } of noisy) assert.match(answer, /^HTTP\/1\.1 500 [^]*"overloaded"/);
  await end();
  for (const { socket } of [...noisy, other!]) socket.destroy();
});
