import { firstIdAt } from "../../terms/ids.ts";
import type { LedgerTables } from "../ports.ts";
import { toStored } from "../stored-text.ts";

/** Selects the calls of a budget, by runs that started at this time or later (Unix ms). */
export interface BudgetSince {
  readonly budgetId: string;
  readonly from: number;
}

/** The rejections of a budget, at least one. */
export interface BudgetRejections {
  readonly budgetId: string;
  readonly calls: number;
  /** Whether there are more than the counted ones. */
  readonly isMore: boolean;
  /** Start of the first run with such a call, in Unix ms. */
  readonly sinceWallAt: number;
}

const COUNTED_MAX = 1_000;
const BUDGETS_MAX = 10_000;

/** Few budgets have ever rejected a call. Their ids are read first, so that the cost depends on their number only. */
export async function budgetRejections(
  tables: LedgerTables,
  budgets: readonly BudgetSince[],
): Promise<readonly BudgetRejections[]> {
  if (budgets.length === 0) return [];
  const keys = new Map((await everyRejecting(tables)).map(({ key, budget }) => [budget, key]));
  const found: BudgetRejections[] = [];
  for (const { budgetId, from } of budgets) {
    const key = keys.get(toStored(budgetId));
    if (key === undefined) continue;
    const { calls, since } = await rejectedBy(tables, key, from);
    if (since === null) continue;
    found.push({
      budgetId,
      calls: Math.min(calls, COUNTED_MAX),
      isMore: calls > COUNTED_MAX,
      sinceWallAt: since,
    });
  }
  return found;
}

interface Rejecting {
  /** The key in the table of calls. */
  readonly key: string | number;
  readonly budget: string;
}

/** Steps through an index from budget to budget, without reading the entries between them. */
function everyRejecting({ query, calls, textOf }: LedgerTables): Promise<readonly Rejecting[]> {
  const next = (condition: string) =>
    `(SELECT x.budget_key FROM ${calls} AS x WHERE ${condition} ORDER BY x.budget_key LIMIT 1)`;
  return query<Rejecting>(
    `WITH RECURSIVE s(key) AS (
       SELECT ${next("x.budget_key IS NOT NULL")}
       UNION ALL SELECT ${next("x.budget_key > s.key")} FROM s WHERE s.key IS NOT NULL)
     SELECT s.key, ${textOf("s.key")} AS budget FROM s WHERE s.key IS NOT NULL LIMIT ${BUDGETS_MAX}`,
  );
}

async function rejectedBy({ query, calls, linesByTransaction }: LedgerTables, key: string | number, from: number) {
  const [condition, order, first] = linesByTransaction
    ? ["x.transaction_id >= ?", "x.transaction_id", firstIdAt("transaction", from)]
    : ["x.started_at >= ?", "x.started_at", from];
  const [row] = await query<{ readonly calls: number; readonly since: number | null }>(
    `SELECT count(*) AS calls, min(u.started_at) AS since FROM (
       SELECT x.started_at FROM ${calls} AS x WHERE x.budget_key = ? AND ${condition}
       ORDER BY ${order} LIMIT ${COUNTED_MAX + 1}) AS u`,
    [key, first as string | number],
  );
  return { calls: row!.calls, since: row!.since };
}
