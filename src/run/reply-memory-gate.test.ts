import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteBudget } from "../terms/concurrency/byte-budget.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { ReplyMemoryGate, REPLIES_BYTES_MAX, type ReplyReservation, type ReplyWindow } from "./reply-memory-gate.ts";

const MB = 1_048_576;

function openRoom(budgetMb = 1_024) {
  const clock = new FakeClock();
  const budget = new ByteBudget(budgetMb * MB);
  const room = new ReplyMemoryGate(clock);
  const windowOf = (owner: string): ReplyWindow => ({
    owner,
    memory: budget.open(owner),
    bytes: 0,
    closed: false,
  });
  return { clock, budget, room, windowOf };
}

/** Calls whose replies have arrived and are not taken. */
async function fill(
  room: ReplyMemoryGate,
  window: ReplyWindow,
  replies: readonly number[],
): Promise<readonly ReplyReservation[]> {
  const places: ReplyReservation[] = [];
  for (const bytes of replies) {
    const place = (await room.enter(window, 0))!;
    assert.equal(place.arrived(bytes), true);
    places.push(place);
  }
  return places;
}

/** The state of a call now. */
function outcomeOf(entering: Promise<ReplyReservation | null>): { place?: ReplyReservation | null } {
  const seen: { place?: ReplyReservation | null } = {};
  void entering.then((place) => (seen.place = place));
  return seen;
}

test("the memory of one run's calls stays below its limit: the next call waits until a reply is taken", async () => {
  const { clock, room, windowOf } = openRoom();
  const window = windowOf("a");
  const places = await fill(room, window, [16 * MB, 16 * MB - 1_000]);
  const next = outcomeOf(room.enter(window, 0));
  await clock.advance(500);
  assert.deepEqual(next, {});
  places[0]!.release();
  await clock.advance(0);
  assert.ok(next.place);
  assert.ok(window.bytes <= REPLIES_BYTES_MAX);
});

test("a call for which there is no memory within a second is not made", async () => {
  const { clock, budget, room, windowOf } = openRoom(40);
  await fill(room, windowOf("a"), [15 * MB]);
  const held = budget.reservedBytes;
  const late = outcomeOf(room.enter(windowOf("a"), 1_000));
  await clock.advance(999);
  assert.deepEqual(late, {});
  await clock.advance(1);
  assert.deepEqual(late, { place: null });
  assert.equal(budget.reservedBytes, held, "its inputs are held no longer");
});

test("waiting calls of one organization do not delay those of another", async () => {
  const { clock, room, windowOf } = openRoom(40);
  const greedy = windowOf("a");
  await fill(room, greedy, [15 * MB]);
  const waiting = Array.from({ length: 20 }, () => outcomeOf(room.enter(greedy, 0)));
  await clock.advance(0);
  assert.ok(waiting.every(({ place }) => place === undefined));
  assert.ok(await room.enter(windowOf("b"), 0));
});

test("inputs count at once, and a reply for which there is no memory is not kept", async () => {
  const { budget, room, windowOf } = openRoom(40);
  const window = windowOf("a");
  const place = await room.enter(window, 3 * MB);
  assert.ok(budget.reservedBytes >= 3 * MB);
  assert.equal(place!.arrived(33 * MB), false);
  assert.equal(budget.reservedBytes, 0);
  place!.release();
  assert.deepEqual([budget.reservedBytes, window.bytes], [0, 0]);
  assert.equal(await room.enter(window, 33 * MB), null);
});

test("when a run ends, its calls stop waiting and hold nothing", async () => {
  const { clock, budget, room, windowOf } = openRoom();
  const window = windowOf("a");
  const places = await fill(room, window, [16 * MB, 16 * MB - 2_000]);
  const waiting = outcomeOf(room.enter(window, 1_000));
  await clock.advance(0);
  assert.deepEqual(waiting, {});
  room.close(window);
  await clock.advance(0);
  assert.deepEqual(waiting, { place: null });
  for (const place of places) place.release();
  assert.equal(budget.reservedBytes, 0);
});
