/** The guarantee of counts on every ledger: they are those of the listed runs. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import * as fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../terms/time/durations.ts";
import { HISTORY_STEPS } from "../history/sum-history.ts";
import type { CallRow, LedgerTables, RunRow } from "../ports.ts";
import { anyStep, FIRST } from "../totals/any-life.kit.ts";
import type { LedgerToSum } from "../totals/totals.kit.ts";
import { type CountFilter, countRuns, RUN_OUTCOMES, type RunOutcome } from "./count-runs.ts";
import type { LedgerFilter } from "./ledger-filter.ts";
import { listRuns, type RunLine } from "./list-runs.ts";

const maybe = <Value>(...values: readonly Value[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 });
const anyQuestion = fc
  .record({
    step: fc.constantFrom(...HISTORY_STEPS),
    timeZone: fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu"),
    moments: fc.uniqueArray(fc.integer({ min: -DAY_MS, max: 6 * DAY_MS }), { minLength: 2, maxLength: 2 }),
    organizationId: maybe("org_a"),
    workflowId: maybe("wfl_b"),
    functionId: maybe("dfunc_a", "dfunc_typo"),
    functionVersion: maybe("f1"),
    source: maybe("acme__people", "bell__phone"),
    sourceVersion: maybe("s1"),
    outcome: maybe("match" as const, "no_match" as const, "failed" as const),
    charged: maybe("yes" as const, "no" as const, "unknown" as const),
    failure: maybe("timeout" as const, "budget" as const),
    tookMsMin: maybe(25, 45),
  })
  .map(({ moments: [one, other], ...asked }): CountFilter => {
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
    return {
      ...(given as unknown as CountFilter),
      from: FIRST + Math.min(one!, other!),
      to: FIRST + Math.max(one!, other!),
    };
  });
const anyLimits = fc.constantFrom(undefined, undefined, { indexed: 4, checked: 4 }, { indexed: 9, checked: 2 });

/** Every page. */
async function listed(tables: LedgerTables, filter: LedgerFilter): Promise<readonly RunLine[]> {
  const runs: RunLine[] = [];
  for (let after: string | null = ""; after !== null;) {
    const page = await listRuns(tables, filter, after === "" ? { limit: 1_000 } : { limit: 1_000, after });
    runs.push(...page.runs);
    after = page.next;
  }
  return runs;
}

function stepName({ step, timeZone }: CountFilter, at: number): string {
  if (step === "day") return new Intl.DateTimeFormat("en-CA", { timeZone }).format(at);
  const length = step === "hour" ? HOUR_MS : MINUTE_MS;
  return String(at - (at % length));
}

export function countRunsContract(name: string, newLedger: (t: TestContext) => Promise<LedgerToSum>): void {
  test(`counts of runs on the ledger of ${name} are those of the listed runs, for every filter`, async (t) => {
    const { put, tables } = await newLedger(t);
    const runs = fc.sample(anyStep, 60).flatMap((step) => ("put" in step ? step.put : []));
    await put(runs);
    const callsOf = Map.groupBy(
      await tables.query<CallRow>("SELECT * FROM ledger_calls"),
      (call) => call.transaction_id,
    );
    const outcomeOf = ({ transaction_id: id }: RunRow): RunOutcome => {
      const calls = callsOf.get(id) ?? [];
      const has = (success: number, match?: number): boolean =>
        calls.some((call) => call.success === success && (match === undefined || call.match === match));
      return has(0) ? "failed" : has(1, 1) ? "match" : has(1) ? "no_match" : "no_calls";
    };
    let found = 0;
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(anyQuestion, anyLimits, async (question, limits) => {
        const counts = await countRuns(tables, question, limits);
        const { step: _step, timeZone: _timeZone, ...filter } = question;
        const expected = new Map<string, number>();
        for (const run of await listed(tables, { ...filter, from: counts.countedFrom })) {
          const line = `${stepName(question, run.started_at)} ${outcomeOf(run)}`;
          expected.set(line, (expected.get(line) ?? 0) + 1);
          found += 1;
        }
        const lines = counts.points.flatMap(({ at, runs: counted }) =>
          RUN_OUTCOMES.flatMap((outcome) =>
            counted[outcome] === 0 ? [] : [[`${stepName(question, at)} ${outcome}`, counted[outcome]] as const],
          ),
        );
        assert.deepEqual(new Map(lines), expected);
        if (limits === undefined) assert.equal(counts.countedFrom, filter.from);
        else if (counts.countedFrom > filter.from) cut += 1;
      }),
      { numRuns: 150 },
    );
    assert.ok(found > 0 && cut > 0);
  });
}
