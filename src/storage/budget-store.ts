import type { Transaction } from "kysely";
import type { BudgetAnswer, BudgetAsk, BudgetStore, ExchangeRule, SpentIn } from "../limits/budgets/ports.ts";
import { type Budget, cachedPeriods } from "../terms/money/budget.ts";
import type { TimeSpan } from "../terms/time/calendar.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { Micros } from "../terms/money/money.ts";
import { DAY_MS, HOUR_MS } from "../terms/time/durations.ts";
import { answerInTime } from "./answer-in-time.ts";
import { LeaseRows } from "./budget-leases.ts";
import { lockBudgets, settledLease, toBudget } from "./budget-rows.ts";
import type { Engine } from "./engine.ts";
import { inBatches } from "./read-page.ts";
import type { Tables } from "./tables.ts";

/** Interval of deletions of past periods, in a transaction that runs anyway. */
const SWEEP_EVERY_MS = HOUR_MS;
/** A day longer than needed, so that the ledger need not be summed up if the store's clock is set back. */
const RETAINED_MS = DAY_MS;
/** The period in an answer about a removed budget. */
const NO_BUDGET = { per: "day", timeZone: "UTC" } as const;

/**
 * The budgets and their leases. An exchange locks its budgets, so that rows cannot change between read and write: no
 * two processes are ever granted the same units. The limit is the one in the store at that moment, even if a process
 * has an older one.
 */
export function createBudgetStore(engine: Engine, clock: Clock): BudgetStore {
  const periodAround = cachedPeriods();
  let sweepAt = 0;

  /**
   * `null` if the store has no rows of a period that has begun before, as after a leap of the clock, and the period's
   * sum is not in `spent`. The period is then added to `lacking`.
   */
  async function exchangeIn(
    transaction: Transaction<Tables>,
    asks: readonly BudgetAsk[],
    rule: ExchangeRule,
    { spent, lacking }: PeriodSums,
  ): Promise<readonly BudgetAnswer[] | null> {
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
    const leaseRows = new LeaseRows(rows);
    for (const row of budgets) {
      const budget = toBudget(row);
      const period = periodAround(budget, now);
      if (leaseRows.of(budget.id, period.from).length > 0) continue;
      if (period.from > (row.begun_from ?? 0)) {
        await transaction.updateTable("budgets").set({ begun_from: period.from }).where("id", "=", row.id).execute();
        continue;
      }
      const used = spent.get(periodKey(budget, period));
      if (used === undefined) lacking.push({ budget, period });
      else if (used !== 0n) leaseRows.apply(budget.id, period, { changed: [settledLease(used)], forgotten: [] });
    }
    if (lacking.length > 0) return null;
    const answers = asks.map((ask): BudgetAnswer => {
      const row = budgets.find(({ id }) => id === ask.budgetId);
      const budget = row === undefined ? null : toBudget(row);
      const period = periodAround(budget ?? NO_BUDGET, now);
      if (budget === null) return { now, budget, period, amount: 0n, othersUsed: 0n, counted: null };
      const { answer, ...keeping } = rule(ask, { budget, period, now }, leaseRows.of(budget.id, period.from));
      leaseRows.apply(budget.id, period, keeping);
      return answer;
    });
    await leaseRows.write(engine.name, transaction);
    if (now >= sweepAt) {
      sweepAt = now + SWEEP_EVERY_MS;
      await transaction
        .deleteFrom("budget_leases")
        .where("period_to", "<=", now - RETAINED_MS)
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

    async exchange(asks, rule, spentIn = NOTHING_SPENT) {
      await engine.ready();
      const spent = new Map<string, Micros>();
      for (;;) {
        const lacking: StartedPeriodOfBudget[] = [];
        const periodSums = { spent, lacking };
        const answers = await engine.unsyncedWriter
          .transaction()
          .execute((transaction) => exchangeIn(transaction, asks, rule, periodSums));
        if (answers !== null) {
          if (asks.some(({ isDurable }) => isDurable)) await engine.sync();
          return answers;
        }
        // The ledger may be another database, and the budgets must not be locked during the sum.
        for (const { budget, period } of lacking) spent.set(periodKey(budget, period), await spentIn(budget, period));
      }
    },

    async recover(earlier, rule) {
      await engine.ready();
      await engine.writer.transaction().execute(async (transaction) => {
        const leases = transaction.selectFrom("budget_leases");
        const own = await leases.selectAll().where("process", "=", earlier.process).execute();
        if (own.length === 0) return;
        const ids = [...new Set(own.map((row) => row.budget_id))];
        await lockBudgets(engine, transaction, ids);
        const now = await engine.wallAt(transaction);
        const leaseRows = new LeaseRows(
          await inBatches(ids, (part) => leases.selectAll().where("budget_id", "in", part).execute()),
        );
        for (const { budgetId, period } of leaseRows.periods()) {
          const about = { budgetId, periodFrom: period.from, now };
          leaseRows.apply(budgetId, period, rule(earlier, about, leaseRows.of(budgetId, period.from)));
        }
        await leaseRows.write(engine.name, transaction);
      });
    },
  };
}

interface StartedPeriodOfBudget {
  readonly budget: Budget;
  readonly period: TimeSpan;
}

/** Known sums of periods without rows in the store, and periods that lack a sum. */
interface PeriodSums {
  readonly spent: ReadonlyMap<string, Micros>;
  readonly lacking: StartedPeriodOfBudget[];
}

const NOTHING_SPENT: SpentIn = async () => 0n;

function periodKey({ id }: Budget, { from }: TimeSpan): string {
  return `${id} ${from}`;
}
