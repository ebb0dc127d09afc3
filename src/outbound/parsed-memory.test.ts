import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCall, makeRun } from "../run/call.kit.ts";
import type { PlannedCall } from "../run/ports.ts";
import { compileView } from "../sources/declarative/reply/view-reply.ts";
import { ByteBudget } from "../terms/concurrency/byte-budget.ts";
import { VendorReply } from "./exchange/vendor-reply.ts";

const LIMITS = { depthMax: 64, keysPerObjectMax: 10_000 };

function underWay(bytesMax: number): PlannedCall {
  return makeCall({ run: makeRun({ memory: new ByteBudget(bytesMax).open("org_a") }) });
}

const holdFor = (call: PlannedCall) => (bytes: number) => call.reserveBytes(bytes);
const replyOf = (body: string, call: PlannedCall) =>
  new VendorReply(200, {}, Buffer.from(body), LIMITS, null, holdFor(call));

/** Documents with the measured size of their parsed values on the heap. */
const MEASURED: readonly (readonly [what: string, body: string, heapBytes: number])[] = [
  ["numbers", `[${"1,".repeat(74_000)}1]`, 600_000],
  ["nothing but empty objects", `[${"{},".repeat(37_000)}{}]`, 2_368_000],
  ["lists of one", `[${"[1],".repeat(37_000)}[1]]`, 2_368_000 / 2],
  [
    "members that are all different",
    JSON.stringify(Array.from({ length: 22_000 }, (_, at) => ({ [`k${at}`]: 1, [`l${at}`]: 2 }))),
    4_500_000,
  ],
];

test("what a reply becomes is counted for its call, and by what it takes", () => {
  for (const [what, body, heapBytes] of MEASURED) {
    const call = underWay(1e9);
    const reply = replyOf(body, call);
    reply.json();
    reply.json();
    assert.ok(call.reservedBytes > heapBytes * 0.9, `${what}: ${call.reservedBytes}`);
    assert.ok(call.reservedBytes < heapBytes * 4 + body.length, `${what}: ${call.reservedBytes}`);
    assert.equal(call.run.memory.bytes, call.reservedBytes);
  }
});

test("a text is counted by what it takes, and what a source makes of text or bytes as much as they are, once", () => {
  const [ascii, other] = ["a".repeat(1_000), "é".repeat(500)];
  for (const [body, read, counted] of [
    [ascii, (reply: VendorReply) => [reply.text(), reply.text()], 2_000],
    [other, (reply: VendorReply) => [reply.text(), reply.text()], 3_000],
    [ascii, (reply: VendorReply) => [reply.bytes(), reply.bytes()], 1_000],
    [ascii, (reply: VendorReply) => [reply.bytes(), reply.text()], 2_000],
    ["", (reply: VendorReply) => [reply.bytes(), reply.text()], 0],
  ] as const) {
    const call = underWay(1e6);
    read(replyOf(body, call));
    assert.deepEqual([call.reservedBytes, call.run.memory.bytes], [counted, counted]);
  }
});

test("a reply whose value does not fit into memory fails its own call, and reserves nothing", () => {
  const xml = `<r>${"<a/>".repeat(2_000)}</r>`;
  const view = compileView({ format: "xml" });
  for (const read of [
    (call: PlannedCall) => replyOf(`[${"{},".repeat(2_000)}{}]`, call).json() as unknown,
    (call: PlannedCall) => view(replyOf(xml, call)),
    (call: PlannedCall) => replyOf("x".repeat(20_001), call).bytes(),
    (call: PlannedCall) => replyOf("x".repeat(20_001), call).text(),
    (call: PlannedCall) => {
      call.end();
      replyOf("[1]", call).json();
    },
  ]) {
    const call = underWay(20_000);
    assert.throws(() => read(call), { code: "source.no_room_for_answer" });
    assert.equal(call.reservedBytes, 0);
  }
});
