import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Stranger, StrangersBodies } from "./strangers-bodies.ts";

const ADDRESSES = ["192.0.2.1", "192.0.2.2", "2001:db8:0:0"];

interface Body {
  readonly stranger: Stranger;
  readonly of: string;
  bytes: number;
  isWhole: boolean;
  isRefused: boolean;
}

const step = fc.oneof(
  fc.record({ kind: fc.constant("open" as const), from: fc.constantFrom(...ADDRESSES) }),
  fc.record({
    kind: fc.constantFrom("came", "whole", "end", "makeWay" as const),
    at: fc.nat(20),
    bytes: fc.nat(1_000),
  }),
);

test("whoever is refused has sent more than the one it makes way for, or its address has", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: "max" }), (steps) => {
      const bodies = new StrangersBodies();
      let open: Body[] = [];
      const sumOf = (address: string) =>
        open.filter(({ of }) => of === address).reduce((sum, { bytes }) => sum + bytes, 0);
      for (const one of steps) {
        if (one.kind === "open") {
          const stranger = bodies.open(one.from);
          const body = { stranger, of: one.from, bytes: 0, isWhole: false, isRefused: false };
          stranger.begin(() => (body.isRefused = true));
          open.push(body);
          continue;
        }
        const body = open[one.at % open.length];
        if (body === undefined) continue;
        if (one.kind === "came" && !body.isWhole) {
          body.stranger.came(one.bytes);
          body.bytes += one.bytes;
        } else if (one.kind === "whole") {
          body.stranger.whole();
          body.isWhole = true;
        } else if (one.kind === "end") {
          body.stranger.end();
          open = open.filter((other) => other !== body);
        } else if (one.kind === "makeWay") {
          const least = open.filter(({ isWhole }) => !isWhole);
          const made = body.stranger.makeWay();
          const refused = open.filter(({ isRefused }) => isRefused);
          assert.equal(refused.length, made ? 1 : 0);
          const gone = refused[0] ?? body;
          assert.ok(refused[0] === undefined || (gone !== body && !gone.isWhole));
          for (const other of [...least, body]) {
            assert.ok(sumOf(gone.of) >= sumOf(other.of), "its address has sent the most");
            assert.ok(gone.of !== other.of || gone.bytes >= other.bytes, "and it is the largest of that address");
          }
          open = open.filter(({ isRefused }) => !isRefused);
        }
        for (const { stranger, of, bytes } of open) {
          assert.equal(stranger.bytes, bytes);
          assert.equal(stranger.address.bytes, sumOf(of));
        }
      }
    }),
  );
});
