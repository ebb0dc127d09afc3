import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { JoinedBytes } from "./joined-bytes.ts";

test("however the bytes are split, they are joined completely and in order", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 6_000 }), { maxLength: 30 }), (pieces) => {
      const joined = new JoinedBytes();
      for (const piece of pieces) joined.add(Buffer.from(piece));
      assert.equal(
        joined.length,
        pieces.reduce((sum, { length }) => sum + length, 0),
      );
      assert.equal(joined.pieces, pieces.length);
      assert.deepEqual(joined.take(), Buffer.concat(pieces));
    }),
  );
});

test("a single piece is not copied, unless it keeps a much larger buffer alive", () => {
  const whole = Buffer.alloc(20_000);
  const small = Buffer.alloc(65_536).subarray(100, 200);
  const [first, second] = [new JoinedBytes(), new JoinedBytes()];
  first.add(whole);
  second.add(small);

  assert.equal(first.take(), whole);
  assert.notEqual(second.take().buffer, small.buffer);
});

test("a million pieces take little more memory than their bytes", () => {
  const joined = new JoinedBytes();
  const read = Buffer.alloc(65_536, "x");
  for (let at = 0; at < 1_000_000; at += 1) joined.add(read.subarray(at % 65_000, (at % 65_000) + 1));

  const bytes = joined.take();

  assert.equal(bytes.length, 1_000_000);
  assert.ok(bytes.buffer.byteLength <= 2_000_002);
});
