import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { systemClock } from "../../terms/time/clock.ts";
import { FairShare } from "../../terms/concurrency/fair-share.ts";
import type { VendorConnection } from "./vendor-connection.ts";
import { DEFAULT_LIMITS } from "../outbound-limits.ts";
import { type PooledRequest, OriginPool, SocketSlots } from "./origin-pool.ts";

type State = "new" | "busy" | "waiting" | "turned away" | "stopped" | "over";

/** A request that sends nothing, and only records what happens to it. */
class Asked implements PooledRequest {
  readonly owner: string;
  state: State = "new";
  connection: VendorConnection | null = null;

  constructor(owner: string) {
    this.owner = owner;
  }

  sendOn(connection: VendorConnection): void {
    this.state = "busy";
    this.connection = connection;
  }
  onQueued(): void {
    this.state = "waiting";
  }
  onQueueFull(): void {
    this.state = "turned away";
  }
  claim(): boolean {
    return true;
  }
  stop(): void {
    this.state = "stopped";
  }
}

function openPool(
  connectionsMax: number,
  waitingMax: number,
  idleMax = 100,
  places = new SocketSlots(1_000),
): OriginPool {
  const destination = {
    secure: false,
    hostname: "127.0.0.1",
    port: 9,
    privateAllowed: true,
    namedBy: "",
    secureContext: undefined,
    session: undefined,
  };
  const needs = { clock: systemClock, names: {}, proxy: null, connectMaxMs: 1 } as never;
  const limits = { ...DEFAULT_LIMITS, connectionsMax, waitingMax };
  return new OriginPool("http://127.0.0.1:9", destination, needs, limits, new FairShare(idleMax), places);
}

/** No connection is really opened here: one counts as open until it is discarded. */
function pretendOpen(connection: VendorConnection): VendorConnection {
  Object.defineProperty(connection, "isOpen", { get: () => !connection.isDiscarded, configurable: true });
  return connection;
}

test("one organization alone gets half, and leaves the rest for others", () => {
  const pool = openPool(128, 512);
  const flood = Array.from({ length: 700 }, () => new Asked("a"));
  for (const asked of flood) pool.enter(asked);
  const next = new Asked("b");
  pool.enter(next);

  assert.equal(flood.filter(({ state }) => state === "busy").length, 64);
  assert.equal(flood.filter(({ state }) => state === "waiting").length, 256);
  assert.equal(next.state, "busy");
});

test("waiting requests are served round-robin by organization", () => {
  const pool = openPool(1, 100);
  const first = new Asked("a");
  const flood = Array.from({ length: 20 }, () => new Asked("a"));
  for (const asked of [first, ...flood]) pool.enter(asked);
  const others = ["b", "c"].map((owner) => new Asked(owner));
  for (const asked of others) pool.enter(asked);

  let busy = first;
  const served: string[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    pool.release(pretendOpen(busy.connection!), true);
    busy = [...flood, ...others].find(({ state, connection }) => state === "busy" && connection !== null)!;
    served.push(busy.owner);
    busy.state = "over";
  }

  assert.deepEqual(served, ["a", "b", "c", "a", "a"]);
});

test("shares hold and no connection passes between organizations, in any order of coming and going", () => {
  const step = fc.record({
    kind: fc.constantFrom("enter", "enter", "enter", "leave", "leave", "lose", "withdraw"),
    owner: fc.nat(4),
    which: fc.nat(50),
  });
  const sizes = fc.record({
    connectionsMax: fc.integer({ min: 1, max: 12 }),
    waitingMax: fc.integer({ min: 0, max: 12 }),
    idleMax: fc.integer({ min: 0, max: 12 }),
  });
  fc.assert(
    fc.property(
      sizes,
      fc.array(step, { maxLength: 200, size: "max" }),
      ({ connectionsMax, waitingMax, idleMax }, steps) => {
        const pool = openPool(connectionsMax, waitingMax, idleMax);
        const all: Asked[] = [];
        const usedBy = new Map<VendorConnection, string>();
        const open = new Set<VendorConnection>();
        const notice = (): void => {
          for (const { connection, owner, state } of all) {
            if (state !== "busy") continue;
            pretendOpen(connection!);
            assert.ok(!connection!.isDiscarded);
            open.add(connection!);
            assert.equal(usedBy.get(connection!) ?? owner, owner);
            usedBy.set(connection!, owner);
          }
          for (const connection of open) if (connection.isDiscarded) open.delete(connection);
          const busy = all.filter(({ state }) => state === "busy");
          assert.equal(new Set(busy.map(({ connection }) => connection)).size, busy.length);
          assert.equal(pool.inFlight, busy.length);
          assert.equal(pool.waiting, all.filter(({ state }) => state === "waiting").length);
          assert.ok(open.size <= connectionsMax, "open connections");
          assert.ok(pool.waiting <= waitingMax);
          const free = connectionsMax - busy.length;
          for (const { owner } of all.filter(({ state }) => state === "waiting")) {
            const has = busy.filter((other) => other.owner === owner).length;
            // No request waits that could be sent.
            assert.ok(free === 0 || (has > 0 && has + 1 > free - 1));
          }
        };
        for (const { kind, owner, which } of steps) {
          const of = (state: State) => all.filter((asked) => asked.state === state);
          const chosen = of(kind === "withdraw" ? "waiting" : "busy");
          const asked = kind === "enter" ? new Asked(`o${owner}`) : chosen[which % Math.max(1, chosen.length)];
          if (asked === undefined) continue;
          if (kind === "enter") {
            all.push(asked);
            pool.enter(asked);
          } else if (kind === "withdraw") {
            asked.state = "over";
            pool.withdraw(asked);
          } else {
            asked.state = "over";
            pool.release(asked.connection!, kind === "leave");
          }
          notice();
        }
        pool.close();
        for (const asked of all) {
          assert.ok(asked.state !== "waiting");
          if (asked.connection !== null) assert.ok(asked.connection.isDiscarded);
        }
      },
    ),
  );
});

test("connections to all origins together are shared by owners, and a place that becomes free serves another origin", () => {
  const places = new SocketSlots(6);
  const origins = Array.from({ length: 3 }, () => openPool(100, 100, 100, places));
  const asked = origins.map((pool) => {
    const own = [new Asked("org_a"), new Asked("org_a")];
    for (const each of own) pool.enter(each);
    return own;
  });
  const states = () => asked.map((own) => own.map(({ state }) => state));
  assert.deepEqual(states(), [
    ["busy", "busy"],
    ["busy", "waiting"],
    ["waiting", "waiting"],
  ]);
  const other = new Asked("org_b");
  origins[2]!.enter(other);
  assert.equal(other.state, "busy", "half of the places are for others");

  // One at a time: a pool that has been served waits behind the others.
  origins[2]!.release(other.connection!, false);
  for (const [pool, at] of [
    [0, 0],
    [0, 1],
  ] as const)
    origins[pool]!.release(asked[pool]![at]!.connection!, false);
  assert.deepEqual(states(), [
    ["busy", "busy"],
    ["busy", "busy"],
    ["busy", "waiting"],
  ]);
  assert.equal(places.inUse, 3);
  for (const pool of origins) pool.close();
});
