import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { until } from "../rig/until.ts";
import { startService, type TestService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { body } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

async function openConnections({ adminUrl }: TestService): Promise<number> {
  const page = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^datarun_connections (\d+)$/m.exec(page)![1]);
}

test("clients that send nothing and clients that read nothing are cut off, and others are answered meanwhile", async (t) => {
  const vendor = await startVendor(t, { paths: { "/large": body(JSON.stringify({ text: "x".repeat(4_900_000) })) } });
  const service = await startService(t, {
    sources: [asksVendor("acme__large", vendor, "/large")],
    settings: {
      "limits.expert.request_timeout_ms": 2_400,
      "limits.expert.write_timeout_ms": 1_000,
      "limits.expert.reply_decoded_bytes": 5_000_000,
    },
    vendors: [vendor],
  });
  const text = JSON.stringify({ config: { sources: { acme__large: true } } });
  const request = `${service.rawHead("/data")}Content-Length: ${text.length}\r\n\r\n${text}`;
  const open = (send: string): Socket => {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    t.after(() => socket.destroy());
    socket.on("error", () => {});
    if (send !== "") socket.write(send);
    // A paused socket hears nothing of its end until it reads again.
    return socket.pause();
  };
  const idle = Array.from({ length: 200 }, () => open(""));
  const nonReaders = Array.from({ length: 12 }, () => open(request));
  await vendor.received(12);
  assert.equal((await service.run({})).statusCode, 200);
  await until(() => service.ledgerRows().length === 13);
  assert.ok(service.ledgerRows().every(({ calls }) => calls.every((call) => call["success"] === 1)));
  for (let count = 0; count < 12; count += 1) service.expectRunWithoutAnswer();

  // One is that of the client that is answered meanwhile.
  await until(async () => (await openConnections(service)) <= 1);
  for (const socket of [...idle, ...nonReaders]) socket.resume();
  await until(() => [...idle, ...nonReaders].every(({ closed }) => closed));
  for (const socket of nonReaders) assert.ok(socket.bytesRead < 4_900_000, "it was cut off before it had everything");
  assert.equal((await service.run({})).statusCode, 200);
});
