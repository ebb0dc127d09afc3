import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault, faultOfDeadline } from "./fault.ts";

test("a fault creates no stack trace, all other errors do", () => {
  const frames = ({ stack }: Error) => (stack ?? "").split("\n").length - 1;
  assert.equal(frames(new Fault("request.overloaded")), 0);
  assert.equal(frames(new Fault("source.adapter_raised")), 0);
  assert.ok(frames(new Error("another")) > 0);
});

test("a call that had no time left when it began timed out after 0 ms", () => {
  assert.deepEqual(faultOfDeadline({ startedAt: 3_000, deadlineAt: 1_501, order: null }).detail, { afterMs: 0 });
});
