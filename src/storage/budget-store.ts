import { sql, type Transaction } from "kysely";
import type { BudgetAnswer, BudgetAsk, BudgetStore, SliceRule } from "../leases/budgets/ports.ts";
import { periodAround } from "../terms/budget.ts";
import type { Clock } from "../terms/clock.ts";
import { amountToColumn, type Micros } from "../terms/money.ts";
import { addRows } from "./add-rows.ts";
import { answerInTime } from "./answer-in-time.ts";
import { leaseId, lockBudgets, sumOf, toBudget } from "./budget-rows.ts";
import type { Engine } from "./engine.ts";
import type { NewRow, Row, Tables } from "./schema.ts";

/** Rows of past periods are deleted this often, in a transaction that runs anyway. */
const SWEEP_EVERY_MS = 60 * 60_000;
/** A day longer than needed, in case that the clock of the store is set back. */
const KEPT_MS = 24 * 60 * 60_000;

/**
 * The budgets, and what processes hold of them. An exchange locks its budgets, so that what is read is still so when the
 * result is written: no two processes are ever granted the same. The limit is the one that is set in the store at that
 * moment, whatever a process has heard of it.
 */
export function createBudgetStore(engine: Engine, clock: Clock): BudgetStore {
  let sweepAt = 0;

  async function exchangeIn(transaction: Transaction<Tables>, asks: readonly BudgetAsk[], rule: SliceRule) {
    const ids = [...new Set(asks.map(({ budgetId }) => budgetId))];
    await lockBudgets(engine, transaction, ids);
    const now = await engine.wallAt(transaction);
    const budgets = await transaction.selectFrom("budgets").selectAll().where("id", "in", ids).execute();
    const rows = await transaction
      .selectFrom("budget_leases")
      .selectAll()
      .where("budget_id", "in", ids)
      .where("period_to", ">", now)
      .execute();
    const answers: BudgetAnswer[] = [];
    const changed: NewRow<"budget_leases">[] = [];
    for (const ask of asks) {
      const row = budgets.find(({ id }) => id === ask.budgetId);
      const budget = row === undefined ? null : toBudget(row);
      const period = periodAround(budget?.per ?? "day", now);
      if (budget === null) {
        answers.push({ now, budget, period, amount: 0n, othersUsed: 0n });
        continue;
      }
      const here = rows.filter((one) => one.budget_id === budget.id && one.period_from === period.from);
      const others = here.filter(({ lease }) => lease !== ask.lease);
      const own = ask.periodFrom === period.from ? ask : { ...ask, ...keptOf(here, ask.lease) };
      const amount = rule(budget.limit, sumOf(others, "amount"), own);
      answers.push({ now, budget, period, amount, othersUsed: sumOf(others, "used") });
      changed.push(toRow(own, period, amount));
    }
    await addRows(engine.name, transaction, { table: "budget_leases", key: ["id"], rows: changed, change: IF_LATER });
    if (now >= sweepAt) {
      sweepAt = now + SWEEP_EVERY_MS;
      await transaction
        .deleteFrom("budget_leases")
        .where("period_to", "<=", now - KEPT_MS)
        .execute();
    }
    return answers;
  }

  return {
    budgetsFor: (organizationId) =>
      answerInTime(engine, clock, async () => {
        const rows = await engine.reader
          .selectFrom("budgets")
          .selectAll()
          .where("organization_id", "=", organizationId)
          .orderBy("id")
          .execute();
        return rows.map(toBudget);
      }),

    version: () => engine.version(),

    async exchange(asks, rule) {
      await engine.ready();
      // What is granted must not be forgotten in a power failure; what is given back, or told, may be.
      const grows = asks.some(({ wanted }) => wanted.need + wanted.spare > 0n);
      const db = grows ? engine.writer : engine.noter;
      return db.transaction().execute((transaction) => exchangeIn(transaction, asks, rule));
    },

    async recover(process, left) {
      await engine.ready();
      await engine.writer.transaction().execute(async (transaction) => {
        const rows = await transaction.selectFrom("budget_leases").selectAll().where("process", "=", process).execute();
        await lockBudgets(engine, transaction, rows.map((row) => row.budget_id)); // prettier-ignore
        for (const { start, counts } of left) {
          for (const { id } of rows.filter((row) => row.lease.startsWith(start))) {
            const counted = counts.find((one) => leaseId(one.budgetId, one.periodFrom, one.lease) === id);
            const used = amountToColumn(counted?.used ?? 0n);
            await transaction.updateTable("budget_leases").set({ amount: used, used }).where("id", "=", id).execute();
          }
        }
      });
    },
  };
}

/**
 * What a process that knows nothing of this period holds in it: usually nothing. It may be what an answer granted that
 * got lost, or what it has used itself, if the clock of the store was set back.
 */
function keptOf(rows: readonly Row<"budget_leases">[], lease: string): Pick<BudgetAsk, "keep" | "used"> {
  const own = rows.filter((row) => row.lease === lease);
  return { keep: sumOf(own, "amount"), used: sumOf(own, "used") };
}

/** An ask that was delayed on its way changes nothing after a later one. */
const IF_LATER = sql`update set amount = excluded.amount, used = excluded.used, turn = excluded.turn
  where excluded.turn > budget_leases.turn`;

function toRow(
  { budgetId, lease, process, used, turn }: BudgetAsk,
  period: BudgetAnswer["period"],
  amount: Micros,
): NewRow<"budget_leases"> {
  return {
    id: leaseId(budgetId, period.from, lease),
    budget_id: budgetId,
    period_from: period.from,
    period_to: period.to,
    lease,
    process,
    amount: amountToColumn(amount),
    used: amountToColumn(used),
    turn,
  };
}
