import assert from "node:assert/strict";
import { test } from "node:test";
import { ReplyLane } from "./reply-queue.ts";

const LARGE = 100_000;

function openLane(replies: number) {
  const lane = new ReplyLane(replies * LARGE);
  const sent: number[] = [];
  const dropped: number[] = [];
  const offer = (run: number, owner: string, bytes = LARGE) =>
    lane.offer({ run, owner, bytes, send: () => sent.push(run), drop: () => dropped.push(run) });
  return { lane, sent, dropped, offer };
}

test("a run whose thread takes nothing holds up neither another organization nor small replies", () => {
  const { lane, sent, offer } = openLane(4);
  for (let reply = 0; reply < 8; reply += 1) offer(1, "a");
  assert.deepEqual(sent, [1, 1], "half of the room is the most for one");
  offer(2, "b");
  offer(1, "a", 10);
  assert.deepEqual(sent, [1, 1, 2, 1]);
  assert.equal(lane.waiting, 6);
});

test("what waits goes when an isolate has taken what is there", () => {
  const { lane, sent, offer } = openLane(4);
  for (let reply = 0; reply < 4; reply += 1) offer(1, "a");
  lane.took(1, LARGE);
  assert.deepEqual(sent, [1, 1, 1]);
  lane.took(7, LARGE);
  lane.took(1, 50 * LARGE);
  assert.deepEqual(sent, [1, 1, 1, 1], "nothing is given back that was not held");
});

test("a run that is over frees its room, and nothing of it is sent any more", () => {
  const { lane, sent, dropped, offer } = openLane(4);
  for (let reply = 0; reply < 4; reply += 1) offer(1, "a");
  offer(2, "a");
  lane.left(1, "a");
  assert.deepEqual(
    [sent, dropped],
    [
      [1, 1, 2],
      [1, 1],
    ],
  );
  assert.equal(lane.waiting, 0);
});
