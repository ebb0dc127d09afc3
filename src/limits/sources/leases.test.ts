import type { SharedLimit } from "../../run/middleware/ports.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { FakeClock, settle } from "../../terms/time/clock.kit.ts";
import { leasesInMemory, MemoryLeases, randomNumbers, Replica } from "./source-leases.kit.ts";
import type { LeaseStore } from "./ports.ts";

const STEP_MS = 20;
const USE_MS_MAX = 400;

interface Deployment {
  readonly seed: number;
  readonly replicas: number;
  readonly limit: SharedLimit;
  /** Average number of calls that arrive at each replica in a step. */
  readonly load: number;
  readonly loss: number;
  readonly faults: number;
}

/** Simulates a deployment through faults and then through a quiet time. Fails if its limit was ever exceeded. */
async function live({ seed, replicas, limit, load, loss, faults }: Deployment, steps: number) {
  const random = randomNumbers(seed);
  const clock = new FakeClock();
  const store = new MemoryLeases(clock.wall);
  const weather = { random, loss, delayMsMax: 30 };
  const byWindow = new Map<number, number>();
  const all: Replica[] = [];
  let starts = 0;

  const windowNow = () => (limit.everyMs === null ? 0 : clock.wall() - (clock.wall() % limit.everyMs));
  function used(): void {
    const window = windowNow();
    const count =
      limit.everyMs === null ? all.reduce((sum, { inUse }) => sum + inUse, 0) : (byWindow.get(window) ?? 0) + 1;
    byWindow.set(window, Math.max(count, byWindow.get(window) ?? 0));
  }
  function start(process: string): Replica {
    const speed = 1 + (random() - 0.5) / 250;
    return new Replica(
      { clock, store, limit, weather, speed },
      { process, start: `s${String((starts += 1)).padStart(4, "0")}` },
      used,
    );
  }

  for (let at = 0; at < replicas; at += 1) all.push(start(`p${at}`));
  for (let step = 0; step < steps * 2; step += 1) {
    const isQuiet = step >= steps;
    for (const [at, replica] of all.entries()) {
      if (!isQuiet && random() < faults) {
        // A replica returns on its data directory or on a new one.
        replica.crash();
        all[at] = start(random() < 0.5 ? `p${at}` : `n${starts}`);
      }
      replica.isCutOff = !isQuiet && (replica.isCutOff ? random() > 0.05 : random() < faults);
      for (let calls = load * 2 * random(); calls > 0; calls -= 1) {
        if (random() < calls) all[at]!.call(random() * USE_MS_MAX);
      }
    }
    if (step === steps) {
      weather.loss = 0;
      for (const replica of all) replica.used = 0;
    }
    await clock.advance(STEP_MS);
  }
  assert.ok(Math.max(...byWindow.values()) <= limit.max, "the limit was exceeded");
  return { clock, store, all, byWindow, windowNow };
}

const windows = fc.record({
  name: fc.constant("rate"),
  max: fc.integer({ min: 1, max: 200 }),
  everyMs: fc.constantFrom(100, 1_000, 3_000),
  useMsMax: fc.constant(USE_MS_MAX),
});
const units = fc.record({
  name: fc.constant("units"),
  max: fc.integer({ min: 1, max: 60 }),
  everyMs: fc.constant(null),
  useMsMax: fc.constant(USE_MS_MAX),
});
const deployments = fc.record({
  seed: fc.integer(),
  replicas: fc.integer({ min: 1, max: 50 }),
  limit: fc.oneof(windows, units),
  load: fc.constantFrom(0.02, 0.3, 2),
  loss: fc.constantFrom(0, 0.05, 0.3),
  faults: fc.constantFrom(0, 0.002, 0.02),
});

test("no crash, no partition, no lost message and no clock makes a deployment exceed a limit", async () => {
  await fc.assert(
    fc.asyncProperty(deployments, async (deployment) => {
      await live(deployment, 150);
    }),
    { numRuns: 30 },
  );
});

const RATE: SharedLimit = { name: "rate", max: 40, everyMs: 1_000, useMsMax: USE_MS_MAX };

for (const limit of [
  RATE,
  { name: "units", max: 10, everyMs: null, useMsMax: USE_MS_MAX },
  { name: "one unit", max: 1, everyMs: null, useMsMax: USE_MS_MAX },
]) {
  test(`no replica goes without when all of them want more than there is: ${limit.name}`, async () => {
    const { all } = await live({ seed: 7, replicas: 4, limit, load: 1, loss: 0, faults: 0 }, 500);

    const used = all.map((replica) => replica.used);

    assert.ok(Math.min(...used) * 3 > Math.max(...used), used.join(" "));
  });
}

test("what crashes and partitions have kept from use is there again in a later window, to the last unit", async () => {
  const { byWindow } = await live({ seed: 3, replicas: 6, limit: RATE, load: 1, loss: 0.1, faults: 0.02 }, 400);

  const counts = [...byWindow.values()];

  assert.ok(Math.min(...counts.slice(0, 6)) < RATE.max, "some was kept from use");
  assert.deepEqual(new Set(counts.slice(12, -1)), new Set([RATE.max]));
});

test("a process that stops gives back what it has not used, and one that idles gives back all but its use", async () => {
  for (const stops of [true, false]) {
    const clock = new FakeClock();
    const store = new MemoryLeases(clock.wall);
    const leases = leasesInMemory(clock, store);
    const lease = leases.leaseOf({ name: "day", max: 1_000, everyMs: 1e12, useMsMax: 0 }, "anyone");
    for (let calls = 0; calls < 20; await clock.advance(10)) if (lease.take(clock.now(), 0) !== null) calls += 1;
    const leased = () => store.leased("day", clock.wall() - (clock.wall() % 1e12));
    assert.ok(leased() > 20);

    if (stops) await leases.close();
    else await clock.advance(5_000);

    assert.equal(leased(), 20);
    assert.equal(clock.timers, 0);
  }
});

test("a call whose deadline is past the end of a lease does not begin under it", async () => {
  const clock = new FakeClock();
  const { leaseOf } = leasesInMemory(clock);
  const lease = leaseOf({ name: "units", max: 5, everyMs: null, useMsMax: 1_000 }, "anyone");
  lease.take(clock.now(), clock.now() + 1_000);
  await settle();

  assert.equal(lease.take(clock.now(), clock.now() + 3_600_000), null);
  assert.equal(typeof lease.take(clock.now(), clock.now() + 1_000), "number");
});

test("a limit that an organization uses does not wait for all those that another one invents", async () => {
  const clock = new FakeClock();
  const kept = new MemoryLeases(clock.wall);
  const exchanges: string[][] = [];
  const store: LeaseStore = {
    exchange: async (asks, rule) => {
      exchanges.push(asks.map(({ limit }) => limit.name));
      await new Promise<void>((resolve) => void clock.after(20, resolve));
      return kept.exchange(asks, rule);
    },
    freeUnits: () => Promise.resolve(),
  };
  const { leaseOf } = leasesInMemory(clock, store);
  const ask = (name: string, owner: string) => {
    const lease = leaseOf({ name, max: 5, everyMs: 3_600_000, useMsMax: 0 }, owner);
    assert.equal(lease.take(clock.now(), 0), null);
    return lease;
  };
  for (let made = 0; made < 10_000; made += 1) ask(`made up ${made}`, "org_a");
  await clock.advance(1);
  const lease = ask("of b", "org_b");
  while (lease.free(clock.now()) === 0) await clock.advance(1);
  const first = exchanges.findIndex((names) => names.includes("of b"));
  assert.equal(first, 1, "the next one after the one that was under way");
});

test("calls that come while the store is asked get theirs from the next answer, if the store has it", async () => {
  const clock = new FakeClock();
  const kept = new MemoryLeases(clock.wall);
  const answerMs = 20;
  const { leaseOf } = leasesInMemory(clock, {
    exchange: async (asks, rule) => {
      await new Promise<void>((resolve) => void clock.after(answerMs, resolve));
      return kept.exchange(asks, rule);
    },
    freeUnits: () => Promise.resolve(),
  });
  const lease = leaseOf({ name: "rate", max: 1_000, everyMs: 60_000, useMsMax: 0 }, "anyone");
  let waiting = 0;
  const serve = (): void => {
    while (waiting > 0 && lease.take(clock.now(), 0) !== null) waiting -= 1;
    lease.reportDemand(waiting, waiting);
  };
  lease.onChange(serve);

  waiting = 1;
  serve();
  await clock.advance(1);
  waiting = 50;
  serve();
  await clock.advance(2 * answerMs);

  assert.equal(waiting, 0);
});

test("a limit that is used once is asked for once, and one that is used again is then in hand", async () => {
  const clock = new FakeClock();
  const kept = new MemoryLeases(clock.wall);
  let asks = 0;
  const { leaseOf } = leasesInMemory(clock, {
    exchange: (asked, rule) => {
      asks += asked.length;
      return kept.exchange(asked, rule);
    },
    freeUnits: () => Promise.resolve(),
  });
  const lease = leaseOf({ name: "made up", max: 10, everyMs: 3_600_000, useMsMax: 0 }, "anyone");
  const use = async (): Promise<boolean> => {
    const isThere = lease.take(clock.now(), 0) !== null;
    await settle();
    if (!isThere) assert.notEqual(lease.take(clock.now(), 0), null);
    await settle();
    return isThere;
  };

  assert.equal(await use(), false);
  await clock.advance(500);
  assert.equal(asks, 1);

  assert.deepEqual([await use(), await use()], [false, true]);
});

for (const [what, everyMs, useMs, exchangesMax] of [
  [
    "a load that begins is not leased by doubling: of a high limit that nobody else uses, there is enough in hand",
    60_000,
    1_000,
    4,
  ],
  ["a steady load asks once in each period for all of the next", 1_000, 10_000, 14],
] as const) {
  test(what, async () => {
    const clock = new FakeClock();
    const kept = new MemoryLeases(clock.wall);
    let exchanges = 0;
    const { leaseOf } = leasesInMemory(clock, {
      exchange: (asks, rule) => {
        exchanges += 1;
        return kept.exchange(asks, rule);
      },
      freeUnits: () => Promise.resolve(),
    });
    const lease = leaseOf({ name: "rate", max: 1_000_000, everyMs, useMsMax: 0 }, "anyone");
    for (let taken = 0; taken < 3 * useMs; await clock.advance(1)) {
      for (let calls = 0; calls < 3; calls += 1) if (lease.take(clock.now(), 0) !== null) taken += 1;
    }
    assert.ok(exchanges <= exchangesMax, `${exchanges} exchanges`);
  });
}

test("leases of a period in which a machine can be started again have to survive a power failure", async () => {
  const clock = new FakeClock();
  const kept = new MemoryLeases(clock.wall);
  const durable = new Set<string>();
  const { leaseOf } = leasesInMemory(clock, {
    exchange: (asks, rule) => {
      for (const { limit, isDurable } of asks) if (isDurable) durable.add(limit.name);
      return kept.exchange(asks, rule);
    },
    freeUnits: () => Promise.resolve(),
  });
  for (const everyMs of [1_000, 10_000, 60_000, null])
    leaseOf({ name: String(everyMs), max: 5, everyMs, useMsMax: 0 }, "anyone").take(clock.now(), clock.now());
  await clock.advance(1);
  assert.deepEqual([...durable], ["10000", "60000"]);
});
