import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteBudget } from "../terms/byte-budget.ts";
import { FakeClock } from "../terms/clock.kit.ts";
import { ReplyRoom, REPLIES_BYTES_MAX, type ReplyPlace, type ReplyWindow } from "./reply-room.ts";

const MB = 1_048_576;

function openRoom(budgetMb = 1_024) {
  const clock = new FakeClock();
  const budget = new ByteBudget(budgetMb * MB);
  const room = new ReplyRoom(clock);
  const windowOf = (owner: string, simulated = false): ReplyWindow => ({
    owner,
    simulated,
    held: budget.open(owner),
    bytes: 0,
    closed: false,
  });
  return { clock, budget, room, windowOf };
}

async function learn(room: ReplyRoom, window: ReplyWindow, source: string, bytes: number): Promise<void> {
  const place = await room.enter(window, source, 0);
  assert.equal(place!.arrived(bytes), true);
  place!.left();
}

/** The state of a call now. */
function outcomeOf(entering: Promise<ReplyPlace | null> | ReplyPlace | null): { place?: ReplyPlace | null } {
  const seen: { place?: ReplyPlace | null } = {};
  void Promise.resolve(entering).then((place) => (seen.place = place));
  return seen;
}

test("the memory of one run's calls stays below its limit: the next call waits until a reply is taken", async () => {
  const { clock, room, windowOf } = openRoom();
  const window = windowOf("a");
  await learn(room, window, "large", 5 * MB);
  const places: ReplyPlace[] = [];
  for (let call = 0; call < 6; call += 1) places.push((await room.enter(window, "large", 0))!);
  const next = outcomeOf(room.enter(window, "large", 0));
  await clock.advance(500);
  assert.deepEqual(next, {});
  assert.equal(places[0]!.arrived(5 * MB), true);
  await clock.advance(0);
  assert.deepEqual(next, {}, "a reply that is there is still held");
  places[0]!.left();
  await clock.advance(0);
  assert.ok(next.place);
  assert.ok(window.bytes <= REPLIES_BYTES_MAX);
});

test("a call for which there is no memory within a second is not made", async () => {
  const { clock, budget, room, windowOf } = openRoom(40);
  const first = windowOf("a");
  await learn(room, first, "large", 5 * MB);
  const calls = Array.from({ length: 8 }, () => outcomeOf(room.enter(first, "large", 0)));
  await clock.advance(0);
  assert.ok(calls.some(({ place }) => place === undefined));
  const held = budget.heldBytes;
  const late = outcomeOf(room.enter(windowOf("a"), "large", 1_000));
  await clock.advance(999);
  assert.deepEqual(late, {});
  await clock.advance(1);
  assert.deepEqual(late, { place: null });
  assert.equal(budget.heldBytes, held, "its inputs are held no longer");
});

test("waiting calls of one organization do not delay those of another", async () => {
  const { clock, room, windowOf } = openRoom(40);
  const greedy = windowOf("a");
  await learn(room, greedy, "large", 5 * MB);
  const waiting = Array.from({ length: 20 }, () => outcomeOf(room.enter(greedy, "large", 0)));
  await clock.advance(0);
  assert.ok(waiting.some(({ place }) => place === undefined));
  assert.ok(await room.enter(windowOf("b"), "large", 0));
});

test("inputs count at once, and a reply for which there is no memory is not kept", async () => {
  const { budget, room, windowOf } = openRoom(40);
  const window = windowOf("a");
  const place = await room.enter(window, "unknown", 3 * MB);
  assert.ok(budget.heldBytes >= 3 * MB);
  assert.equal(place!.arrived(33 * MB), false);
  assert.equal(budget.heldBytes, 0);
  place!.left();
  assert.deepEqual([budget.heldBytes, window.bytes], [0, 0]);
  assert.equal(await room.enter(window, "unknown", 33 * MB), null);
});

test("when a run ends, its calls stop waiting and hold nothing", async () => {
  const { clock, budget, room, windowOf } = openRoom();
  const window = windowOf("a");
  await learn(room, window, "large", 10 * MB);
  const places = [
    await room.enter(window, "large", 0),
    await room.enter(window, "large", 0),
    await room.enter(window, "large", 0),
  ];
  const waiting = outcomeOf(room.enter(window, "large", 1_000));
  room.close(window);
  await clock.advance(0);
  assert.deepEqual(waiting, { place: null });
  for (const place of places) place!.left();
  assert.equal(budget.heldBytes, 0);
});

test("how large replies are is learned for each organization by itself, and for simulated runs apart", async () => {
  const { room, windowOf } = openRoom(40);
  await learn(room, windowOf("a"), "large", 9 * MB);
  for (const window of [windowOf("b"), windowOf("a", true)]) {
    const before = window.bytes;
    const place = await room.enter(window, "large", 0);
    assert.ok(window.bytes - before < MB, `${window.bytes}`);
    place!.left();
  }
});
