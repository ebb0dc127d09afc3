/** Sums of rows read one by one, as a reference for totals, and instrumented tables of a ledger. */
import assert from "node:assert/strict";
import type { AttemptReport, RunIntent, RunReport } from "../../run/ports.ts";
import { makeAttempt, makeCall, makeReport, makeRun } from "../ledger.kit.ts";
import type { AttemptRow, CallRow, LedgerQuery, LedgerTables, RunRow } from "../ports.ts";
import { type SpendFilter, type SpendKey, type SpendLine, sumSpend } from "../read/sum-spend.ts";
import { possibleStartsOf } from "./spans.ts";

export type Ended = readonly [RunIntent, RunReport];

/** The reference sums, of rows read one by one. */
export async function sumOfRows(
  { query }: LedgerTables,
  by: SpendKey,
  filter: SpendFilter,
): Promise<readonly SpendLine[]> {
  const runs = await query<RunRow>("SELECT * FROM ledger_runs");
  const calls = Map.groupBy(await query<CallRow>("SELECT * FROM ledger_calls"), (call) => call.transaction_id);
  const attempts = Map.groupBy(await query<AttemptRow>("SELECT * FROM ledger_attempts"), (one) => one.transaction_id);
  const around = possibleStartsOf(filter);
  const dayFormat = new Intl.DateTimeFormat("en-CA", { timeZone: filter.timeZone ?? "UTC" });
  const lines = new Map<string, { -readonly [Name in keyof SpendLine]: SpendLine[Name] }>();
  for (const run of runs) {
    if (run.simulated === 1 || run.started_at < around.from || run.started_at >= around.to) continue;
    for (const { ordinal, charged, price, currency, sent_at: sentAt } of attempts.get(run.transaction_id) ?? []) {
      const call = calls.get(run.transaction_id)!.find((one) => one.ordinal === ordinal)!;
      if (sentAt < filter.from || sentAt >= filter.to) continue;
      if (filter.organizationId !== undefined && filter.organizationId !== run.organization_id) continue;
      if (filter.workflowId !== undefined && filter.workflowId !== run.workflow_id) continue;
      if (filter.source !== undefined && filter.source !== call.source) continue;
      if (filter.credentialId !== undefined && filter.credentialId !== call.credential_id) continue;
      const day = dayFormat.format(sentAt);
      const of = {
        org: run.organization_id,
        workflow: run.workflow_id,
        vendor: call.source.split("__")[0]!,
        source: call.source,
        credential: call.credential_id,
        day,
        order: call.order_id,
        transaction: run.transaction_id,
      };
      const key = of[by];
      const line = lines.get(`${key} ${currency}`) ?? {
        key,
        currency,
        requests: 0,
        charged_yes: 0,
        charged_no: 0,
        charged_unknown: 0,
        unpriced: 0,
        least: 0n,
        most: 0n,
      };
      lines.set(`${key} ${currency}`, line);
      line.requests += 1;
      line[`charged_${charged}`] += 1;
      if (charged !== "no" && price === null) line.unpriced += 1;
      if (charged === "yes") line.least += BigInt(price ?? 0);
      if (charged !== "no") line.most += BigInt(price ?? 0);
    }
  }
  return [...lines.values()];
}

const textOf = (line: SpendLine): string =>
  Object.entries(line)
    .map(([name, value]) => `${name} ${value}`)
    .toSorted()
    .join(", ");
export const textsOf = (lines: readonly SpendLine[]): readonly string[] => lines.map(textOf).toSorted();

export async function assertEqualToRows(tables: LedgerTables, by: SpendKey, filter: SpendFilter): Promise<void> {
  assert.deepEqual(
    textsOf(await sumSpend(tables, by, filter)),
    textsOf(await sumOfRows(tables, by, filter)),
    JSON.stringify({ by, ...filter }),
  );
}

type Values = Parameters<LedgerQuery>[1];

/** The tables, with a callback before each statement. */
export function watched(
  tables: LedgerTables,
  before: (sql: string, values: Values, isInChange: boolean) => Promise<void>,
  wallAt = (): Promise<number> => tables.wallAt(),
): LedgerTables {
  const { isText, requests, calls, lastUse, textOf: texts, isKey, linesByTransaction } = tables;
  const { endedCalls, endedRuns, deletedBefore, isPrefixed } = tables;
  const watch =
    (query: LedgerQuery, isInChange: boolean): LedgerQuery =>
    async (sql, values) => {
      await before(sql, values, isInChange);
      return query(sql, values);
    };
  const change: LedgerTables["change"] = async (work) => {
    await before("BEGIN", [], false);
    return tables.change((query) => work(watch(query, true)));
  };
  const note: LedgerTables["changeUnsynced"] = async (work) => {
    await before("BEGIN", [], false);
    return tables.changeUnsynced((query) => work(watch(query, true)));
  };
  const lockDay: LedgerTables["lockDay"] = (query, day) => tables.lockDay(query, day);
  return {
    isText,
    requests,
    calls,
    lastUse,
    textOf: texts,
    isKey,
    linesByTransaction,
    endedCalls,
    endedRuns,
    deletedBefore,
    isPrefixed,
    wallAt,
    change,
    changeUnsynced: note,
    lockDay,
    query: watch(tables.query, false),
  };
}

export const untouched = async (): Promise<void> => {};

/** The tables, with another time. */
export function asAt(tables: LedgerTables, wallAt: number): LedgerTables {
  return watched(tables, untouched, async () => wallAt);
}

export function oneRun(startedWallAt: number, ofAttempt: Partial<AttemptReport> = {}): Ended {
  const run = makeRun({ startedWallAt });
  const attempt = makeAttempt({ sentWallAt: startedWallAt, price: { amount: 5n, currency: "EUR" }, ...ofAttempt });
  return [run, makeReport(run, { calls: [makeCall({ attempts: [attempt], charged: attempt.charged })] })];
}
