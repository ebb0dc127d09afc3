/** The guarantee of totals on every ledger: a sum never differs from the rows. */
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import * as fc from "fast-check";
import { DAY_MS, HOUR_MS } from "../../terms/time/durations.ts";
import type { CallRow, LedgerTables, RunRow } from "../ports.ts";
import { reconcileCharge } from "../read/reconcile-charge.ts";
import { sumSpend } from "../read/sum-spend.ts";
import type { Verified } from "../read/verified.ts";
import { anyQuestion, anyStep, FIRST, KEYS } from "./any-life.kit.ts";
import { readSpans, makeTotals } from "./make-totals.ts";
import { possibleStartsOf } from "./spans.ts";
import {
  asAt,
  assertEqualToRows,
  type Ended,
  oneRun,
  sumOfRows,
  textsOf,
  untouched,
  watched,
} from "./sums-of-rows.kit.ts";

export interface LedgerToSum {
  /** Records runs as services do. */
  put(runs: readonly Ended[]): Promise<unknown>;
  prune(startedBefore: number): Promise<unknown>;
  verify(): Promise<Verified>;
  readonly tables: LedgerTables;
}

const ALWAYS = { from: 0, to: Date.UTC(2030, 0, 1) };

export function totalsContract(name: string, newLedger: (t: TestContext) => Promise<LedgerToSum>): void {
  describe(`totals on the ledger of ${name}`, () => {
    test("whatever is recorded, settled and deleted, every sum is that of the rows", async (t) => {
      const ledger = await newLedger(t);
      const { tables } = ledger;
      const made = new Set<number>();
      let now = FIRST;
      const step = async (one: typeof anyStep extends fc.Arbitrary<infer Step> ? Step : never): Promise<void> => {
        if ("put" in one) await ledger.put(one.put);
        else if ("prune" in one) await ledger.prune(one.prune);
        else if ("makeAfter" in one) {
          // At a time when the last day is not over: its hours and minutes have totals.
          const runs = await tables.query<RunRow>("SELECT started_at FROM ledger_runs ORDER BY transaction_id");
          now = (runs[one.makeAfter % Math.max(1, runs.length)]?.started_at ?? FIRST) + one.laterMs;
          await makeTotals(asAt(tables, now), { from: FIRST - DAY_MS, to: FIRST + 7 * DAY_MS }, { runsWorth: 0 });
          for (const { from, to } of await readSpans(tables, ALWAYS)) made.add(to - from);
        } else {
          const calls = await tables.query<CallRow>("SELECT * FROM ledger_calls ORDER BY transaction_id, ordinal");
          const call = calls[one.settle % Math.max(1, calls.length)];
          if (call === undefined) return;
          const { transaction_id: transactionId, ordinal } = call;
          const { charged, price } = one;
          await reconcileCharge(tables, {
            transactionId,
            ordinal,
            attempt: 1,
            charged,
            decidedBy: "ada",
            decidedAt: 1,
            note: "n",
            ...(price && { price }),
          });
        }
      };
      const property = fc.asyncProperty(
        fc.array(fc.tuple(anyStep, anyQuestion), { minLength: 8, maxLength: 16 }),
        async (steps) => {
          // fast-check repeats a case with fewer steps, and a run is recorded only once.
          const known = new Set(
            (await tables.query<RunRow>("SELECT transaction_id FROM ledger_runs")).map((run) => run.transaction_id),
          );
          for (const [one, { by, moments, ...filter }] of steps) {
            if ("put" in one) {
              const fresh = one.put.filter(([run]) => !known.has(run.transactionId));
              for (const [run] of fresh) known.add(run.transactionId);
              await step({ put: fresh });
            } else await step(one);
            const [from, to] = [Math.min(...moments), Math.max(...moments)];
            const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
            await assertEqualToRows(asAt(tables, now), by, { from, to, ...given });
          }
        },
      );
      await fc.assert(property, { numRuns: 8, endOnFailure: true });
      assert.deepEqual(made, new Set([DAY_MS, HOUR_MS, 60_000]), "days, hours and minutes had totals");
      await assertEqualToRows(tables, "day", ALWAYS);
    });

    test("requests that a clock, set back meanwhile, dated before their run are in the sums of a time zone's days", async (t) => {
      const { put, tables } = await newLedger(t);
      await put([oneRun(FIRST + 5, { sentWallAt: FIRST - 1_000 })]);
      for (const to of [FIRST, FIRST + DAY_MS])
        await assertEqualToRows(tables, "day", { from: FIRST - DAY_MS, to, timeZone: "Asia/Kathmandu" });
    });

    test("what is written at any moment while totals are made is in the next sum", async (t) => {
      const ledger = await newLedger(t);
      const { tables } = ledger;
      const writes: readonly ((day: number, run: Ended) => Promise<unknown>)[] = [
        (day) => ledger.put([oneRun(day + 5)]),
        (_day, [{ transactionId }]) =>
          reconcileCharge(tables, {
            transactionId,
            ordinal: 0,
            charged: "no",
            decidedBy: "ada",
            decidedAt: 1,
            note: "n",
          }),
        (day) => ledger.prune(day + 2),
      ];
      let day = FIRST;
      for (const write of writes) {
        for (let at = 0, more = true; more; at += 1) {
          day += DAY_MS;
          const runs = [oneRun(day + 1), oneRun(day + 3, { charged: "unknown" })];
          await ledger.put(runs);
          const asked = { from: day, to: day + DAY_MS };
          const allowed = [textsOf(await sumOfRows(tables, "org", asked))];
          let statements = 0;
          const written: Promise<unknown>[] = [];
          const interrupted = watched(tables, async (_sql, _values, isInChange) => {
            if (statements++ !== at) return;
            written.push(write(day, runs[1]!));
            // A change on this ledger may have to wait for the end of the other one.
            if (!isInChange) await written[0];
          });
          const answer = textsOf(await sumSpend(interrupted, "org", asked));
          await Promise.all(written);
          allowed.push(textsOf(await sumOfRows(tables, "org", asked)));
          assert.ok(
            allowed.some((one) => one.join() === answer.join()),
            `statement ${at}: ${answer.join()}`,
          );
          await assertEqualToRows(tables, "org", asked);
          await assertEqualToRows(tables, "day", asked);
          const left = "SELECT x.line FROM ledger_totals AS x WHERE x.span NOT IN (SELECT id FROM ledger_total_spans)";
          assert.deepEqual(await tables.query(left), [], "lines of totals that are gone");
          more = written.length > 0;
        }
      }
    });

    test("a process that makes totals may die at any moment, and the next one makes them", async (t) => {
      const { put, tables } = await newLedger(t);
      let day = FIRST;
      for (let at = 0, more = true; more; at += 1) {
        day += DAY_MS;
        await put([oneRun(day + 1), oneRun(day + 2, { charged: "unknown" })]);
        const asked = { from: day, to: day + DAY_MS };
        let statements = 0;
        const dying = watched(tables, async () => {
          if (statements++ >= at) throw new Error("it died here");
        });
        more = await makeTotals(dying, possibleStartsOf(asked)).then(
          () => statements > at,
          () => true,
        );
        await assertEqualToRows(tables, "org", asked);
        await assertEqualToRows(asAt(tables, (await tables.wallAt()) + 301_000), "org", asked);
        const kept = await readSpans(tables, asked);
        assert.deepEqual(
          kept.map(({ from, to }) => [from, to]),
          [[day, day + DAY_MS]],
          `statement ${at}`,
        );
      }
    });

    test("a span that another process is summing up is left to it, and its rows are read", async (t) => {
      const { put, tables } = await newLedger(t);
      await put([oneRun(FIRST + 1)]);
      const asked = { from: FIRST, to: FIRST + DAY_MS };
      let others = 0;
      const shared = watched(tables, async (sql) => {
        if (!sql.includes("min(x.sent_at)") || others > 0) return;
        others += 1;
        await assertEqualToRows(tables, "org", asked);
        assert.deepEqual(await readSpans(tables, asked), []);
      });
      await makeTotals(shared, asked);
      assert.deepEqual([others, (await readSpans(tables, asked)).length], [1, 1]);
    });

    test("a day whose requests cannot be summed up keeps no other from having totals, and no sum from being made", async (t) => {
      const { put, tables } = await newLedger(t);
      const [second, third] = [FIRST + DAY_MS, FIRST + 2 * DAY_MS];
      await put([FIRST, second, second + 1, second + 2 * HOUR_MS, third].map((at) => oneRun(at)));
      let failed = 0;
      const failing = watched(tables, async (sql, values = []) => {
        const isOfFirstHour = values.some((value, at) => value === second && values[at + 1] === second + HOUR_MS);
        if (!sql.includes("min(x.sent_at)") || !isOfFirstHour) return;
        failed += 1;
        throw new Error("canceling statement due to statement timeout");
      });
      const kept = async () => (await readSpans(tables, ALWAYS)).map(({ from, to }) => [from - FIRST, to - from]);
      const within = { from: FIRST, to: third + DAY_MS };
      let groups = 0;
      await makeTotals(failing, within, { runsAtOnce: 2, isClosed: () => groups++ > 0 });
      assert.deepEqual(await kept(), [[0, DAY_MS]]);
      await assert.rejects(makeTotals(failing, within, { runsAtOnce: 2 }), /statement timeout/);
      const hours = Array.from({ length: 23 }, (_, at) => [DAY_MS + (at + 1) * HOUR_MS, HOUR_MS]);
      assert.deepEqual(await kept(), [[0, DAY_MS], ...hours, [2 * DAY_MS, DAY_MS]]);
      assert.equal(failed, 2);
      await assertEqualToRows(
        watched(tables, untouched, () => Promise.reject(new Error("no time"))),
        "org",
        ALWAYS,
      );
      await makeTotals(tables, within, { runsAtOnce: 2 });
      assert.deepEqual(await kept(), [
        [0, DAY_MS],
        [DAY_MS, DAY_MS],
        [2 * DAY_MS, DAY_MS],
      ]);
      await assertEqualToRows(tables, "day", ALWAYS);
    });

    test("totals that are wrong, by whatever cause, are named by verify and made again", async (t) => {
      const { put, tables, verify } = await newLedger(t);
      await put(
        [0, 1, 2, 3].flatMap((day) => [
          oneRun(FIRST + day * DAY_MS),
          oneRun(FIRST + day * DAY_MS + 1, { price: null }),
        ]),
      );
      const ask = () => sumSpend(tables, "day", ALWAYS);
      const right = await ask();
      assert.deepEqual((await verify()).structure, []);
      const wrongs = [
        "UPDATE ledger_totals SET most = most + 1 WHERE sent_day = ? AND currency_key IS NOT NULL",
        "DELETE FROM ledger_totals WHERE sent_day = ? AND currency_key IS NULL",
        "UPDATE ledger_totals SET sent_last = sent_last + 1 WHERE sent_day = ?",
        "UPDATE ledger_total_spans SET sent_first = NULL WHERE from_at = 86400000 * CAST(? AS bigint)",
      ];
      for (const [at, wrong] of wrongs.entries()) await tables.change((query) => query(wrong, [FIRST / DAY_MS + at]));
      const says = (day: string) =>
        `the totals of ${day} are not those of its requests; they are deleted, and made again when somebody asks`;
      const days = [0, 1, 2, 3].map((at) => new Date(FIRST + at * DAY_MS).toISOString().slice(0, 10));
      assert.deepEqual((await verify()).structure, days.map(says));
      assert.deepEqual(await ask(), right);
      assert.equal((await readSpans(tables, ALWAYS)).length, 4);
      assert.deepEqual((await verify()).structure, []);
    });

    test("on a ledger that cannot be written, sums are made of the rows", async (t) => {
      const { put, tables } = await newLedger(t);
      await put([oneRun(FIRST), oneRun(FIRST + DAY_MS)]);
      const readOnly = { ...watched(tables, untouched), changeUnsynced: () => Promise.reject(new Error("read-only")) };
      for (const by of KEYS) await assertEqualToRows(readOnly, by, ALWAYS);
      assert.deepEqual(await readSpans(tables, ALWAYS), []);
    });

    test("hours and minutes of a day have totals until the day has, and few runs are read one by one", async (t) => {
      const { put, tables } = await newLedger(t);
      await put([oneRun(FIRST + 10), oneRun(FIRST + HOUR_MS + 61_000)]);
      const lengths = async (wallAt: number, worth?: number): Promise<readonly number[]> => {
        await makeTotals(
          asAt(tables, wallAt),
          { from: FIRST, to: FIRST + DAY_MS },
          { ...(worth !== undefined && { runsWorth: worth }) },
        );
        await assertEqualToRows(asAt(tables, wallAt), "org", { from: FIRST, to: FIRST + 2 * HOUR_MS });
        return (await readSpans(tables, ALWAYS)).map(({ from, to }) => (to - from) / 60_000);
      };
      assert.deepEqual(await lengths(FIRST + HOUR_MS + 15 * 60_000), []);
      assert.deepEqual(await lengths(FIRST + HOUR_MS + 15 * 60_000, 0), [60, 1]);
      assert.deepEqual(await lengths(FIRST + DAY_MS + 59 * 60_000, 0), [60, 60]);
      assert.deepEqual(await lengths(FIRST + DAY_MS + 60 * 60_000), [24 * 60]);
    });
  });
}
