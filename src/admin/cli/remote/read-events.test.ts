import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { createEventReader } from "./read-events.ts";

test("events are the same in whatever pieces they arrive, inside of a character too", () => {
  const events = fc.array(
    fc.record(
      { event: fc.constantFrom("note", "progress", "result"), says: fc.string({ unit: "grapheme" }) },
      { noNullPrototype: true },
    ),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(events, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (list, sizes) => {
      const text = list
        .map(({ event, says }) => `:\n\nevent: ${event}\ndata: ${JSON.stringify({ says })}\n\n`)
        .join("");
      const bytes = Buffer.from(text);
      const read = createEventReader(1_048_576);
      const found = [];
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const size = sizes[turn % sizes.length]!;
        found.push(...read(bytes.subarray(at, at + size))!);
        at += size;
      }
      const told = found.map(({ event, data }) => ({ event, says: (JSON.parse(data) as { says: string }).says }));
      assert.deepEqual(told, list);
    }),
  );
});

test("an event that does not end is given up, and small ones may come without end", () => {
  const endless = createEventReader(1_000);
  let pieces = 0;
  while (endless(Buffer.from("x\n")) !== null) pieces += 1;
  assert.equal(pieces, 500);
  const read = createEventReader(1_000);
  for (let at = 0; at < 1_000; at += 1)
    assert.equal(read(Buffer.from(`event: note\ndata: {"says":"${at}"}\n\n`))?.length, 1);
});
