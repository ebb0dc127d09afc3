import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ConnectionPlaces } from "./connection-places.ts";

type Doing = "nothing" | "receiving" | "running";

/** A connection that only says what it is doing, and counts how often it was asked. */
class Pretended {
  static looks = 0;
  readonly address: string;
  doing: Doing = "nothing";

  constructor(address: string, doing: Doing = "nothing") {
    this.address = address;
    this.doing = doing;
  }

  get isIdle(): boolean {
    Pretended.looks += 1;
    return this.doing !== "running";
  }

  get isReceiving(): boolean {
    return this.doing === "receiving";
  }
}

for (const [what, doing, addresses] of [
  ["bodies that never end, of one address", "receiving", 1],
  ["bodies that never end, of as many addresses", "receiving", 5_000],
  ["connections without a request, of as many addresses", "nothing", 5_000],
] as const)
  test(`a flood among thousands of ${what}, looks at a few of them for each new one`, () => {
    const places = new ConnectionPlaces<Pretended>(5_000);
    const next = (count: number) => new Pretended(`10.0.0.${count % addresses}`, doing);
    for (let count = 0; count < 5_000; count += 1) assert.equal(places.enter(next(count)), undefined);
    Pretended.looks = 0;
    for (let count = 0; count < 5_000; count += 1) assert.notEqual(places.enter(next(count)), undefined);
    assert.ok(Pretended.looks < 20_000, `${Pretended.looks} looks`);
  });

test("who makes way is idle, of the address that has the most, and not receiving if another of it is not", () => {
  const step = fc.record({
    kind: fc.constantFrom("enter", "enter", "enter", "begin", "run", "answer", "answer known", "leave"),
    address: fc.constantFrom("a", "b", "c"),
    which: fc.nat(20),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.array(step, { maxLength: 120, size: "max" }), (max, steps) => {
      const places = new ConnectionPlaces<Pretended>(max);
      const strangers = new Set<Pretended>();
      const known = new Set<Pretended>();
      const open = () => [...strangers, ...known];

      const enter = (connection: Pretended): void => {
        const full = open().length === max;
        const idle = [...strangers].filter(({ doing }) => doing !== "running");
        const counts = new Map<string, number>();
        for (const { address } of strangers) counts.set(address, (counts.get(address) ?? 0) + 1);
        const gone = places.enter(connection);
        assert.equal(gone !== undefined, full);
        if (gone !== connection) strangers.add(connection);
        if (gone === undefined) return;
        const rivals = idle.length > 0 ? idle : [...known].filter(({ doing }) => doing !== "running");
        if (rivals.length === 0) return assert.equal(gone, connection);
        assert.ok(rivals.includes(gone));
        if (idle.length > 0)
          for (const { address } of idle) assert.ok(counts.get(gone.address)! >= counts.get(address)!);
        const beside = idle.length > 0 ? rivals.filter(({ address }) => address === gone.address) : rivals;
        const longest = beside.find(({ doing }) => doing === "nothing");
        if (longest !== undefined) assert.equal(gone, longest);
        strangers.delete(gone);
        known.delete(gone);
      };

      const answer = (connection: Pretended, asKnown: boolean): void => {
        connection.doing = "nothing";
        places.answered(connection, asKnown);
        const to = asKnown || known.has(connection) ? known : strangers;
        strangers.delete(connection);
        known.delete(connection);
        to.add(connection);
      };

      for (const { kind, address, which } of steps) {
        if (kind === "enter") enter(new Pretended(address));
        const chosen = open()[which % Math.max(1, open().length)];
        if (kind === "enter" || chosen === undefined) continue;
        if (kind === "begin" && chosen.doing === "nothing") chosen.doing = "receiving";
        else if (kind === "run") chosen.doing = "running";
        else if (kind === "leave") {
          assert.ok(places.leave(chosen));
          strangers.delete(chosen);
          known.delete(chosen);
        } else if (chosen.doing !== "nothing") answer(chosen, kind === "answer known");
        assert.equal(places.taken, open().length);
      }
    }),
  );
});
