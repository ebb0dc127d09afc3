import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { startService } from "../rig/service.ts";
import { answers, asksVendor, neverAnswers } from "../rig/sources.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

test("a source's time counts from the arrival of the request, not from when its body had come", async (t) => {
  const service = await startService(t, { sources: [neverAnswers("acme__never", { timeout_ms: 600 })] });
  const body = JSON.stringify({ config: { sources: { acme__never: true } } });

  // The service asks for the body when it has read the head, so at least 300 ms pass between its arrival and the body's.
  const head = `${service.rawHead("/data")}Connection: close\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`;
  const asked = (socket: Socket) => once(socket, "data");
  const { replies } = await service.raw([head, asked, 300, body]);

  const { status, response_time_ms } = JSON.parse(replies[0]!.text);
  const afterMs = Number(/timed out after (\d+) ms/.exec(status.acme__never.message)![1]);
  assert.ok(afterMs <= 301, `${afterMs} ms were left of 600 after 300 had passed`);
  assert.ok(response_time_ms >= 590, "the total is the service's own, the wait for the body included");
});

test("the answer goes out when the last source has ended, and none waits for another's deadline", async (t) => {
  // Far apart, because a busy machine answers later than at once.
  const sources = [
    answers("acme__quick", {}),
    neverAnswers("acme__short", { timeout_ms: 1_000 }),
    neverAnswers("acme__long", { timeout_ms: 1_500 }),
  ];
  const service = await startService(t, { sources });

  const { status, response_time_ms } = (
    await service.run({ acme__quick: true, acme__short: true, acme__long: true })
  ).json();

  assert.ok(status.acme__short.response_time_ms < status.acme__long.response_time_ms);
  assert.ok(status.acme__quick.response_time_ms < status.acme__short.response_time_ms);
  assert.ok(response_time_ms >= 1_495);
});

test("when the time to finish is over, a run that still waits for its vendor is answered and recorded", async (t) => {
  const vendor = await startVendor(t);
  const service = await startService(t, {
    sources: [
      asksVendor("acme__hung", vendor, "/hang"),
      neverAnswers("acme__never"),
      answers("acme__people", { name: "Ada" }),
    ],
    vendors: [vendor],
    settings: { "limits.shutdown_grace_ms": 100 },
  });
  const reply = service.run({ acme__hung: true, acme__never: true, acme__people: true });
  await vendor.received(1);

  const closing = service.close();
  const { status, outputs, transaction_id } = (await reply).json();
  await closing;

  for (const id of ["acme__hung", "acme__never"])
    assert.equal(status[id].message, "Adapter error: the run ended before the vendor answered");
  assert.deepEqual(outputs.acme__people, { name: "Ada" }, "what had come is not lost");
  const { calls, attempts } = service.ledgerRows(transaction_id);
  assert.equal(calls.find(({ source }) => source === "acme__hung")!["charged"], "unknown");
  assert.equal(attempts.length, 1);
});
