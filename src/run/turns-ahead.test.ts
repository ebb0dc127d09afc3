import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { FakeClock, settle } from "../terms/clock.kit.ts";
import { SourceTurns } from "./source-turns.ts";
import {
  CALL_MS,
  enter,
  enterMany,
  enterNow,
  inside,
  turnsOf,
  watchedTurns,
  type Entered,
} from "./source-turns.kit.ts";

const DAY_MS = 86_400_000;
/** So long after the last call nothing is taken ahead any more. */
const REST_MS = 300;
const MANY = { concurrency: 4_096, rate: [{ per: "source" as const, max: 1_000_000, every_ms: DAY_MS }] };

async function cycles(turns: ReturnType<typeof turnsOf>, owner: string, count: number, clock: FakeClock) {
  for (let at = 0; at < count; at += 1) (await enter(turns, owner, clock)).leave();
}

test("where there is room for many more, most calls look at no limit", async () => {
  const clock = new FakeClock();
  const { turns, leases } = watchedTurns(MANY, clock);
  await cycles(turns, "a", 50, clock);
  const [places, begins] = leases as [(typeof leases)[0], (typeof leases)[0]];
  let taken = 0;
  for (const lease of [places, begins]) {
    const take = lease.take.bind(lease);
    lease.take = (...args) => {
      taken += 1;
      return take(...args);
    };
  }

  await cycles(turns, "a", 1_000, clock);

  assert.ok(taken < 150, `${taken} looks for 1,000 calls`);
});

test("what was taken ahead and not used is given back after a moment", async () => {
  const clock = new FakeClock();
  const { turns, leases, store } = watchedTurns(MANY, clock);
  const calls = await enterMany(turns, "a", 30, clock);
  for (const call of calls.slice(10)) call.leave();
  calls[9]!.undo();

  await clock.advance(REST_MS);

  const now = clock.now();
  const day = clock.wall() - (clock.wall() % DAY_MS);
  assert.equal(store.leased("concurrency", -1) - leases[0]!.free(now), 9);
  assert.equal(store.leased("rate 0", day) - leases[1]!.free(now), 29);
  for (const call of calls.slice(0, 9)) call.leave();
  await clock.advance(REST_MS);
  assert.equal(store.leased("concurrency", -1) - leases[0]!.free(clock.now()), 0);
});

test("a process that stops gives back what it has taken ahead", async () => {
  const clock = new FakeClock();
  const { turns, store, close } = watchedTurns(MANY, clock);
  await cycles(turns, "a", 50, clock);

  await close();

  assert.equal(store.leased("concurrency", -1), 0);
  assert.equal(store.leased("rate 0", clock.wall() - (clock.wall() % DAY_MS)), 50);
});

test("a call that is undone later counts towards no rate, where the source limits nothing but rates", async () => {
  const clock = new FakeClock();
  const { turns, leases, store } = watchedTurns({ rate: MANY.rate }, clock);
  await enterMany(turns, "a", 50, clock);
  const late = await enterMany(turns, "a", 2, clock);
  late[0]!.undo();
  await clock.advance(REST_MS);
  late[1]!.undo();

  const leased = store.leased("rate 0", clock.wall() - (clock.wall() % DAY_MS));
  assert.equal(leased - leases[0]!.free(clock.now()), 50);
});

/** How many units a call of another owner can have, one by one. */
function restOf(turns: ReturnType<typeof turnsOf>, clock: FakeClock): Promise<number> {
  const newcomers = Array.from({ length: 1_500 }, (_, at) => enterNow(turns, `n${at}`, clock));
  return settle().then(() => inside(newcomers));
}

test("what some have taken ahead is there for whoever lacks it, to the last unit", async () => {
  for (const limits of [{ concurrency: 1_400 }, { rate: [{ per: "source" as const, max: 1_400, every_ms: DAY_MS }] }]) {
    const clock = new FakeClock();
    const turns = turnsOf(limits, clock);
    for (let round = 0; round < 40; round += 1)
      for (const owner of ["a", "b", "c"]) assert.equal(inside(await enterMany(turns, owner, 5, clock)), 5);

    assert.equal(await restOf(turns, clock), 800);
  }
});

test("calls that wait go on when others leave that had their turns ahead", async () => {
  const clock = new FakeClock();
  const turns = turnsOf({ concurrency: 1_400 }, clock);
  const calls: Entered[] = [];
  for (let round = 0; round < 30; round += 1) calls.push(...(await enterMany(turns, "a", 50, clock)));
  assert.equal(inside(calls), 1_400);

  for (const call of calls.slice(0, 100)) call.leave();
  await settle();

  assert.equal(inside(calls), 1_500);
});

test("a call that waits for its share goes on as soon as another one leaves", async () => {
  const clock = new FakeClock();
  const turns = turnsOf({ concurrency: 1_400 }, clock);
  const others = await enterMany(turns, "b", 1, clock);
  const calls: Entered[] = [];
  for (let round = 0; round < 20; round += 1) calls.push(...(await enterMany(turns, "a", 50, clock)));
  for (let round = 0; round < 20; round += 1) others.push(...(await enterMany(turns, "b", 5, clock)));
  const before = inside(calls);
  assert.ok(before < calls.length);
  assert.equal(inside(others), 101);

  for (const call of others) call.leave();
  await settle();

  assert.ok(inside(calls) > before);
});

/** Turns after some calls, and whether one more call is in, at any time. */
async function busyTurns() {
  const clock = new FakeClock();
  const watched = watchedTurns(MANY, clock);
  await cycles(watched.turns, "a", 50, clock);
  const isIn = (now: number, deadlineAt: number) => {
    try {
      return !(watched.turns.enter({ owner: "a", deadlineAt, waitMaxMs: 0 }, now) instanceof Promise);
    } catch {
      return false;
    }
  };
  return { ...watched, clock, isIn };
}

test("no turn that was taken ahead outlasts its window", async () => {
  const { clock, leases, isIn } = await busyTurns();
  const deadlineAt = leases[0]!.aheadUntil;
  assert.equal(isIn(clock.now(), deadlineAt), true);

  const tomorrow = clock.now() + DAY_MS - (clock.wall() % DAY_MS);

  assert.equal(isIn(tomorrow, deadlineAt), false);
});

test("no turn that was taken ahead is for a call that may end after the lease", async () => {
  const { clock, leases, isIn } = await busyTurns();
  const { aheadUntil } = leases[0]!;
  assert.equal(isIn(clock.now(), aheadUntil), true);
  assert.equal(isIn(clock.now(), aheadUntil + 1), false);
});

test("in a new window, what is taken ahead belongs to that one, also while earlier calls are under way", async () => {
  const clock = new FakeClock();
  const rate = [{ per: "source" as const, max: 1_000_000, every_ms: 5_000 }];
  const { turns, leases, store } = watchedTurns({ concurrency: 4_096, rate }, clock);
  await cycles(turns, "a", 50, clock);
  const from = clock.wall();
  const calls: Entered[] = [];
  // Across the end of a window, so that the next one is leased before it begins, but not where one is not sure of it.
  for (; clock.wall() < from + 7_500; await clock.advance(50)) {
    if (clock.wall() % 5_000 >= 4_900 || clock.wall() % 5_000 < 100) continue;
    const some = await enterMany(turns, "a", 10, clock);
    for (const call of some.slice(1)) call.leave();
    calls.push(...some);
  }
  calls[0]!.undo();
  await clock.advance(REST_MS);

  const window = clock.wall() - (clock.wall() % 5_000);
  const begun = calls.filter(({ inAt }) => inAt !== null && inAt >= window);
  assert.ok(begun.length > 300);
  const leased = store.leased("rate 0", window);
  assert.equal(leased - leases[1]!.free(clock.now()), begun.length);
});

test("turns taken ahead end with the lease, if the store is away", async () => {
  const clock = new FakeClock();
  const { turns, store, leases } = watchedTurns(MANY, clock);
  await cycles(turns, "a", 50, clock);
  store.exchange = () => Promise.reject(new Error("away"));
  let refusedAt: number | null = null;
  const from = clock.now();
  while (refusedAt === null && clock.now() - from < 60_000) {
    await clock.advance(50);
    const call = enterNow(turns, "a", clock);
    if (call.outcome === "in") {
      assert.ok(clock.now() + CALL_MS <= leases[0]!.aheadUntil, "a call went on that may end after the lease");
      call.leave();
    } else refusedAt = clock.now();
  }

  assert.ok(refusedAt !== null);
});

test("limits hold, and are used up, for any order of many calls of several owners", async () => {
  const step = fc.record({
    owner: fc.nat(3),
    kind: fc.constantFrom("enter", "enter", "leave", "undo", "pass"),
    count: fc.integer({ min: 1, max: 500 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 600, max: 1_200 }),
      fc.integer({ min: 1_000, max: 4_000 }),
      fc.array(step, { minLength: 5, maxLength: 25 }),
      async (concurrency, max, steps) => {
        const clock = new FakeClock();
        const turns = turnsOf({ concurrency, rate: [{ per: "source", max, every_ms: 5_000 }] }, clock);
        const all: { owner: string; entered: Entered; left: boolean; undone: boolean }[] = [];
        const underWay = () => all.filter(({ entered, left }) => entered.inAt !== null && !left).length;
        const begun = () => {
          const from = clock.wall() - (clock.wall() % 5_000);
          return all.filter(({ entered, undone }) => entered.inAt !== null && entered.inAt >= from && !undone).length;
        };
        for (const { owner, kind, count } of steps) {
          const name = `o${owner}`;
          if (kind === "enter") {
            for (const entered of await enterMany(turns, name, count, clock))
              all.push({ owner: name, entered, left: false, undone: false });
          } else if (kind === "pass") await clock.advance(count * 3);
          else {
            const own = all.filter((call) => call.owner === name && !call.left && call.entered.outcome === "in");
            for (const call of own.slice(0, count)) {
              call.left = true;
              call.undone = kind === "undo";
              if (kind === "undo") call.entered.undo();
              else call.entered.leave();
            }
          }
          await settle();
          assert.ok(underWay() <= concurrency, `${underWay()} at once of ${concurrency}`);
          assert.ok(begun() <= max, `${begun()} in a period of ${max}`);
        }
        // Nobody waits any more. Whoever comes next gets what is left, however much others have taken ahead.
        await clock.advance(1_100);
        const left = Math.min(concurrency - underWay(), max - begun());
        assert.equal(await restOf(turns, clock), left);
      },
    ),
    { numRuns: 40 },
  );
});

test("nothing is taken ahead while more is in use than is left for this process", () => {
  const clock = new FakeClock();
  const taken: number[] = [];
  let left = 64;
  const lease = {
    take: (_now: number, _until: number, units = 1) => {
      taken.push(units);
      return -1;
    },
    give: () => {},
    want: () => {},
    window: () => -1,
    left: () => left,
    mayGrow: () => true,
    free: () => 10,
    holds: () => false,
    aheadUntil: Number.POSITIVE_INFINITY,
    nextAt: Number.POSITIVE_INFINITY,
    away: true,
    onNews: () => {},
  };
  const turns = new SourceTurns([{ lease, max: 64, isRate: false }], clock, true);
  for (let count = 0; count < 33; count += 1) enterNow(turns, "a", clock);
  left = 32;
  for (let count = 0; count < 3; count += 1) enterNow(turns, "a", clock);
  assert.ok(taken.every((units) => units >= 1));
});
