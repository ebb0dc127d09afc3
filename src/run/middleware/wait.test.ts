import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import type { Fault } from "../../terms/fault.ts";
import { makeCall } from "../call.kit.ts";
import type { RunnableSource } from "../ports.ts";
import { composeMiddleware } from "./adapter.ts";
import { withDeadline } from "./deadline.ts";
import { createWait } from "./wait.ts";

const SOURCE = {} as RunnableSource;

/** A call ten seconds before its deadline, on a clock that stands still. */
function underWay() {
  const clock = new FakeClock();
  const call = makeCall({ startedAt: clock.now(), deadlineAt: clock.now() + 10_000 });
  return { clock, call, wait: createWait(clock) };
}

const codeOf = (started: Promise<unknown>) =>
  started.then(
    () => "waited",
    (fault: Fault) => fault.code,
  );

test("a call waits as long as it asks to, and not beyond its end", async () => {
  const { clock, call, wait } = underWay();
  const waited = codeOf(wait(call, 2_000));
  await clock.advance(1_999);
  assert.equal(clock.timers, 1);
  await clock.advance(1);
  assert.equal(await waited, "waited");
  const ended = codeOf(wait(call, 2_000));
  call.end();
  assert.equal(await ended, "source.stopped");
  assert.equal(clock.timers, 0, "nothing is left behind");
  assert.equal(await codeOf(wait(call, 1)), "source.stopped");
});

test("a wait beyond the deadline is not started: the call ends as pending at once", async () => {
  const { clock, call, wait } = underWay();
  assert.equal(await codeOf(wait(call, 10_000)), "source.pending");
  assert.equal(clock.timers, 0);
});

test("after the deadline a call is pending if the vendor has accepted an order, and otherwise timed out", async () => {
  for (const [ordered, code] of [
    [false, "source.timeout"],
    [true, "source.pending"],
  ] as const) {
    const { clock, call } = underWay();
    const never = () => new Promise<never>(() => {});
    if (ordered) call.takeOrder("o-1");
    const ended = codeOf(composeMiddleware([withDeadline(clock)], never)(SOURCE, call));
    await clock.advance(10_000);
    assert.equal(await ended, code);
  }
});

test("an order number that could not be used to ask again is refused", () => {
  for (const id of ["", "a b", "a\r\nb", "ä", "x".repeat(201)]) {
    const { call } = underWay();
    assert.throws(() => call.takeOrder(id), { code: "source.contract" }, JSON.stringify(id));
    assert.equal(call.order, null);
  }
});

test("a service that stops ends the waits for orders at once and begins no new ones; other waits go on", async () => {
  const { clock, call, wait } = underWay();
  const ordered = makeCall({ startedAt: clock.now(), deadlineAt: clock.now() + 10_000 });
  ordered.takeOrder("o-1");
  const waits = [codeOf(wait(call, 2_000)), codeOf(wait(ordered, 2_000))];
  wait.endForOrders();
  assert.equal(await waits[1], "source.stopped");
  assert.equal(await codeOf(wait(ordered, 1)), "source.stopped");
  assert.equal(clock.timers, 1);
  await clock.advance(2_000);
  assert.equal(await waits[0], "waited");
});

test("a call that has ordered something is pending when the time to stop is used up, any other abandoned", async () => {
  for (const [ordered, code] of [
    [false, "source.abandoned"],
    [true, "source.pending"],
  ] as const) {
    const { clock, call } = underWay();
    if (ordered) call.takeOrder("o-1");
    const deadline = withDeadline(clock);
    const ended = codeOf(composeMiddleware([deadline], () => new Promise<never>(() => {}))(SOURCE, call));
    deadline.endAll();
    assert.equal(await ended, code);
  }
});
