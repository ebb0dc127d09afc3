/** The guarantee of the history on every ledger: its figures never differ from the rows. */
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import * as fc from "fast-check";
import { failureLabelOf } from "../../terms/counted-end.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../terms/time/durations.ts";
import type { CallRow, LedgerTables, RunRow, AttemptRow } from "../ports.ts";
import { reconcileCharge } from "../read/reconcile-charge.ts";
import { anyStep, FIRST } from "../totals/any-life.kit.ts";
import { asAt, oneRun, untouched, watched } from "../totals/sums-of-rows.kit.ts";
import type { LedgerToSum } from "../totals/totals.kit.ts";
import { DURATION_BOUNDS_MS } from "./durations.ts";
import { addAmounts, addDurations, addEnds, type Figures, noFigures, toText } from "./figures.ts";
import { makeHistory, readHistorySpans } from "./make-history.ts";
import {
  alignedTo,
  canBeSummed,
  HISTORY_BY,
  HISTORY_STEPS,
  type HistoryFilter,
  sumHistory,
  unitOf,
} from "./sum-history.ts";

const ALWAYS = { from: 0, to: Date.UTC(2030, 0, 1) };
/** Without a limit of steps. */
const ALL = { ...ALWAYS, step: "day", timeZone: "UTC", groupsMax: 1_000 } as const;

/** The figures of each group and step, as texts, of rows read one by one. */
async function historyOfRows({ query }: LedgerTables, filter: HistoryFilter): Promise<readonly string[]> {
  const calls = Map.groupBy(await query<CallRow>("SELECT * FROM ledger_calls"), (call) => call.transaction_id);
  const attempts = Map.groupBy(await query<AttemptRow>("SELECT * FROM ledger_attempts"), (one) => one.transaction_id);
  const figures = new Map<string, Figures>();
  const dayFormat = new Intl.DateTimeFormat("en-CA", { timeZone: filter.timeZone });
  const figuresAt = (key: string | null, at: number): Figures => {
    const length = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS }[filter.step];
    const step = filter.step === "day" ? dayFormat.format(at) : String(Math.floor(at / length) * length);
    const name = `${filter.by === "all" ? "" : (key ?? "")} ${step}`;
    if (!figures.has(name)) figures.set(name, noFigures());
    return figures.get(name)!;
  };
  const isWanted = (pairs: readonly (readonly [string | undefined, string | null])[]): boolean =>
    pairs.every(([wanted, has]) => wanted === undefined || wanted === has);
  const bucketOf = (ms: number): number => {
    const bucket = DURATION_BOUNDS_MS.findIndex((bound) => ms <= bound);
    return bucket === -1 ? DURATION_BOUNDS_MS.length : bucket;
  };
  const addTime = (to: Figures, ms: number | null): void => {
    if (ms === null) return;
    addDurations(to, bucketOf(ms), 1);
    to.sumMs += ms;
  };
  for (const run of await query<RunRow>("SELECT * FROM ledger_runs")) {
    if (run.simulated === 1 || run.started_at < filter.from || run.started_at >= filter.to) continue;
    const functionId = run.function_fault === "function.unknown" ? "" : run.function_id;
    const isOfRun = isWanted([
      [filter.organizationId, run.organization_id],
      [filter.workflowId, run.workflow_id],
      [filter.functionId, functionId],
      [filter.functionVersion, run.function_version],
    ]);
    if (!isOfRun) continue;
    const own = calls.get(run.transaction_id) ?? [];
    if (unitOf(filter) === "run") {
      if (!isWanted([[filter.tokenId, run.token_id]]) || (filter.by !== "token" && functionId === null)) continue;
      const key = { token: run.token_id, function: functionId, version: run.function_version }[filter.by as "token"];
      const to = figuresAt(key, run.started_at);
      addEnds(to, run.function_fault ?? "match", 1);
      const isSent = own.some((call) => attempts.get(run.transaction_id)?.some((one) => one.ordinal === call.ordinal));
      const isOnlyRejected = own.length > 0 && !isSent && own.every((call) => call.success === 0);
      const isTimed = run.function_fault === null ? !isOnlyRejected : failureLabelOf(run.function_fault) === "failed";
      if (isTimed) addTime(to, run.took_ms);
      continue;
    }
    for (const call of own) {
      const vendor = call.source.split("__")[0]!;
      const isOfCall = isWanted([
        [filter.source, call.source],
        [filter.vendor, vendor],
        [filter.credentialId, call.credential_id],
        [filter.sourceVersion, call.source_version],
      ]);
      if (!isOfCall) continue;
      const keys = { source: call.source, vendor, org: run.organization_id, workflow: run.workflow_id };
      const key = { ...keys, credential: call.credential_id, version: call.source_version }[filter.by as "source"];
      const to = figuresAt(key, run.started_at);
      addEnds(to, call.success === 1 ? (call.match === 1 ? "match" : "no_match") : call.fault_code!, 1);
      const sent = attempts.get(run.transaction_id)?.filter((one) => one.ordinal === call.ordinal) ?? [];
      if (sent.length > 0 || call.success === 1) addTime(to, call.took_ms);
      for (const { price, currency, charged } of sent) {
        if (price === null && charged !== "no") to.unpriced += 1;
        const full = BigInt(price ?? 0);
        if (currency !== null) addAmounts(to, currency, charged === "yes" ? full : 0n, charged === "no" ? 0n : full);
      }
    }
  }
  return [...figures].map(([name, of]) => `${name} ${toText(of)}`).toSorted();
}

async function historyTexts(tables: LedgerTables, filter: HistoryFilter): Promise<readonly string[]> {
  const dayFormat = new Intl.DateTimeFormat("en-CA", { timeZone: filter.timeZone });
  const { groups } = await sumHistory(tables, filter);
  const texts = groups.flatMap(({ key, points }) =>
    points.map(({ at, figures }) => `${key} ${filter.step === "day" ? dayFormat.format(at) : at} ${toText(figures)}`),
  );
  return texts.toSorted();
}

async function assertEqualToRows(tables: LedgerTables, filter: HistoryFilter): Promise<void> {
  assert.deepEqual(await historyTexts(tables, filter), await historyOfRows(tables, filter), JSON.stringify(filter));
}

const maybe = <Value>(value: Value) => fc.option(fc.constant(value), { nil: undefined, freq: 2 });
const anyQuestion = fc
  .record({
    by: fc.constantFrom(...HISTORY_BY),
    step: fc.constantFrom(...HISTORY_STEPS),
    moments: fc.uniqueArray(fc.integer({ min: -DAY_MS, max: 6 * DAY_MS }), { minLength: 2, maxLength: 2 }),
    timeZone: fc.constantFrom("UTC", "UTC", "Europe/Berlin", "Asia/Kathmandu"),
    source: maybe("acme__people"),
    vendor: maybe("acme"),
    organizationId: maybe("org_a"),
    workflowId: maybe("wfl_b"),
    credentialId: maybe("cred_a"),
    tokenId: maybe("tok_a"),
    functionId: maybe("dfunc_a"),
    sourceVersion: maybe("s1"),
    functionVersion: maybe("f2"),
  })
  .map(({ moments: [one, other], ...asked }): HistoryFilter => {
    const between = { from: FIRST + Math.min(one!, other!), to: FIRST + Math.max(one!, other!) };
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
    return {
      ...given,
      ...alignedTo(asked.step, between, asked.timeZone),
      groupsMax: 1_000,
    } as unknown as HistoryFilter;
  })
  .filter((filter) => canBeSummed(filter) !== "never");

export function historyContract(name: string, newLedger: (t: TestContext) => Promise<LedgerToSum>): void {
  describe(`history on the ledger of ${name}`, () => {
    test("whatever is recorded, settled and deleted, every figure is that of the rows", async (t) => {
      const ledger = await newLedger(t);
      const { tables } = ledger;
      const made = new Set<number>();
      let [now, read] = [FIRST, 0];
      const step = async (one: typeof anyStep extends fc.Arbitrary<infer Step> ? Step : never): Promise<void> => {
        if ("put" in one) await ledger.put(one.put);
        else if ("prune" in one) await ledger.prune(one.prune);
        else if ("makeAfter" in one) {
          const runs = await tables.query<RunRow>("SELECT started_at FROM ledger_runs ORDER BY transaction_id");
          now = (runs[one.makeAfter % Math.max(1, runs.length)]?.started_at ?? FIRST) + one.laterMs;
          const within = { from: FIRST - DAY_MS, to: FIRST + 7 * DAY_MS };
          for (const longestMs of one.makeAfter % 2 === 0 ? [HOUR_MS, DAY_MS] : [DAY_MS])
            await makeHistory(asAt(tables, now), within, { longestMs, runsWorth: 0, runsAtOnce: one.makeAfter % 5 });
          for (const { from, to } of await readHistorySpans(tables, ALWAYS)) made.add(to - from);
        } else {
          const calls = await tables.query<CallRow>("SELECT * FROM ledger_calls ORDER BY transaction_id, ordinal");
          const call = calls[one.settle % Math.max(1, calls.length)];
          if (call === undefined) return;
          const { transaction_id: transactionId, ordinal } = call;
          const decision = { charged: one.charged, decidedBy: "ada", decidedAt: 1, note: "n" };
          const price = one.price && { price: one.price };
          await reconcileCharge(tables, { transactionId, ordinal, attempt: 1, ...decision, ...price });
        }
      };
      const property = fc.asyncProperty(
        fc.array(fc.tuple(anyStep, fc.array(anyQuestion, { minLength: 3, maxLength: 3 })), {
          minLength: 8,
          maxLength: 16,
        }),
        async (steps) => {
          // fast-check repeats a case with fewer steps, and a run is recorded only once.
          const known = new Set(
            (await tables.query<RunRow>("SELECT transaction_id FROM ledger_runs")).map((run) => run.transaction_id),
          );
          for (const [one, questions] of steps) {
            if ("put" in one) {
              const fresh = one.put.filter(([run]) => !known.has(run.transactionId));
              for (const [run] of fresh) known.add(run.transactionId);
              await step({ put: fresh });
            } else await step(one);
            for (const question of questions) await assertEqualToRows(asAt(tables, now), question);
            read += questions.length;
          }
        },
      );
      await fc.assert(property, { numRuns: 4, endOnFailure: true });
      assert.deepEqual(made, new Set([DAY_MS, HOUR_MS, MINUTE_MS]), "days, hours and minutes had totals");
      assert.ok(read > 0);
      assert.deepEqual((await ledger.verify()).structure, []);
      for (const by of HISTORY_BY)
        await assertEqualToRows(tables, {
          ...ALL,
          from: FIRST - DAY_MS,
          to: FIRST + 9 * DAY_MS,
          by,
          ...(by === "version" && { source: "acme__people" }),
        });
    });

    test("what is written at any moment while the history is read is in the next one", async (t) => {
      const ledger = await newLedger(t);
      const { tables } = ledger;
      let day = FIRST;
      for (const write of [ledger.put, async () => ledger.prune(day + 2)] as const) {
        for (let at = 0, more = true; more; at += 1) {
          day += DAY_MS;
          await ledger.put([oneRun(day + 1), oneRun(day + 3, { charged: "unknown" })]);
          const asked = { ...ALL, by: "source", from: day, to: day + DAY_MS } as const;
          const allowed = [await historyOfRows(tables, asked)];
          let statements = 0;
          const written: Promise<unknown>[] = [];
          const interrupted = watched(tables, async (_sql, _values, isInChange) => {
            if (statements++ !== at) return;
            written.push(write([oneRun(day + 5)]));
            // A change on this ledger may have to wait for the end of the other one.
            if (!isInChange) await written[0];
          });
          const answer = await historyTexts(interrupted, asked);
          await Promise.all(written);
          allowed.push(await historyOfRows(tables, asked));
          assert.ok(
            allowed.some((one) => one.join() === answer.join()),
            `statement ${at}: ${answer.join()}`,
          );
          await assertEqualToRows(tables, asked);
          more = written.length > 0;
        }
      }
    });

    test("totals that are wrong, by whatever cause, are named by verify and made again", async (t) => {
      const { put, tables, verify } = await newLedger(t);
      await put([oneRun(FIRST), oneRun(FIRST + DAY_MS), oneRun(FIRST + DAY_MS + 1)]);
      const asked = { ...ALL, by: "org", from: FIRST, to: FIRST + 2 * DAY_MS } as const;
      await assertEqualToRows(tables, asked);
      assert.deepEqual((await verify()).structure, []);
      const wrong =
        "UPDATE ledger_history SET figures = '[[],0,[],[],0]' WHERE span IN (SELECT id FROM ledger_history_spans WHERE from_at = ?)";
      await tables.change((query) => query(wrong, [FIRST]));
      assert.deepEqual((await verify()).structure, [
        "the history of 2026-03-27 is not that of its calls; they are deleted, and made again when somebody asks",
      ]);
      await assertEqualToRows(tables, asked);
      assert.deepEqual((await verify()).structure, []);
    });

    test("a ledger that cannot be written, and one whose runs were deleted, say what they know", async (t) => {
      const { put, prune, tables } = await newLedger(t);
      const asked = { ...ALL, by: "source", step: "hour", from: FIRST, to: FIRST + 2 * DAY_MS } as const;
      assert.equal((await sumHistory(tables, asked)).completeFrom, null);
      await put([oneRun(FIRST + 5), oneRun(FIRST + DAY_MS)]);
      const readOnly = { ...watched(tables, untouched), changeUnsynced: () => Promise.reject(new Error("read-only")) };
      await assertEqualToRows(readOnly, asked);
      assert.deepEqual(await readHistorySpans(tables, ALWAYS), []);
      assert.equal((await sumHistory(tables, asked)).completeFrom, FIRST + 5);
      await prune(FIRST + HOUR_MS);
      await assertEqualToRows(tables, asked);
      const { completeFrom } = await sumHistory(tables, asked);
      assert.ok(completeFrom! > FIRST + 5 && completeFrom! <= FIRST + DAY_MS, String(completeFrom));
    });
  });
}
