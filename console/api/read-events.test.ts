import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventReader } from "./read-events.ts";

const EVENTS = [
  { event: "call", data: '{"source":"acme__people"}' },
  { event: "result", data: '{"name":"one\u2028two\u2029three\rfour"}' },
];

test("events are read wherever their pieces are cut, whatever ends of lines their data has", () => {
  const text = `:\n\n${EVENTS.map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n:\n\n`).join("")}event: half`;
  for (const size of [1, 2, 7, text.length]) {
    const read = createEventReader();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...read(text.slice(at, at + size)));
    assert.deepEqual(found, EVENTS, `pieces of ${size}`);
  }
});

test("an event of many megabytes costs no more than its length", () => {
  const read = createEventReader();
  const piece = "x".repeat(65_536);
  read("event: result\ndata: ");
  for (let at = 0; at < 800; at += 1) assert.deepEqual(read(piece), []);
  assert.equal(read("\n\n")[0]!.data.length, 800 * piece.length);
});
