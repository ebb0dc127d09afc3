import assert from "node:assert/strict";
import { test } from "node:test";
import { ReplyQueue } from "./reply-queue.ts";

const LARGE = 100_000;

function openQueue(replies: number) {
  const queue = new ReplyQueue(replies * LARGE);
  const sent: number[] = [];
  const dropped: number[] = [];
  const offer = (run: number, owner: string, bytes = LARGE) =>
    queue.offer({ run, owner, bytes, send: () => sent.push(run), drop: () => dropped.push(run) });
  return { queue, sent, dropped, offer };
}

test("a run whose thread takes nothing holds up neither another organization nor small replies", () => {
  const { queue, sent, offer } = openQueue(4);
  for (let reply = 0; reply < 8; reply += 1) offer(1, "a");
  assert.deepEqual(sent, [1, 1], "half of the room is the most for one");
  offer(2, "b");
  offer(1, "a", 10);
  assert.deepEqual(sent, [1, 1, 2, 1]);
  assert.equal(queue.waiting, 6);
});

test("what waits goes when an isolate has taken what is there", () => {
  const { queue, sent, offer } = openQueue(4);
  for (let reply = 0; reply < 4; reply += 1) offer(1, "a");
  queue.took(1, LARGE);
  assert.deepEqual(sent, [1, 1, 1]);
  queue.took(7, LARGE);
  queue.took(1, 50 * LARGE);
  assert.deepEqual(sent, [1, 1, 1, 1], "nothing is given back that was not held");
});

test("a run that is over frees its room, and nothing of it is sent any more", () => {
  const { queue, sent, dropped, offer } = openQueue(4);
  for (let reply = 0; reply < 4; reply += 1) offer(1, "a");
  offer(2, "a");
  queue.left(1, "a");
  assert.deepEqual(
    [sent, dropped],
    [
      [1, 1, 2],
      [1, 1],
    ],
  );
  assert.equal(queue.waiting, 0);
});
