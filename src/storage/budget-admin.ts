import { type Kysely, sql, type Transaction } from "kysely";
import type { BudgetAdmin, BudgetUse, NewBudget, ResettledRequest } from "../admin/ports.ts";
import { appliesTo, budgetText, rememberedPeriods, usedBy, type Budget } from "../terms/budget.ts";
import { amountFromColumn, amountFromSum, amountToColumn } from "../terms/money.ts";
import { toAuditEntry } from "./audit-trail.ts";
import { ENDED_TURN, fromBudget, leaseId, lockBudgets, SETTLED, toBudget } from "./budget-rows.ts";
import type { Engine } from "./engine.ts";
import { organizationExists } from "./organization-admin.ts";
import { inParts, readPage } from "./read-page.ts";
import { insertAuditEntry, recordChange } from "./record-change.ts";
import type { Tables } from "./schema.ts";

/**
 * So long after a budget was set, every process has noticed it, even one that could not reach the store. What was sent
 * before may not have been counted, so settling it does not free anything either.
 */
const NOTICED_MS = 5 * 60_000;

export function createBudgetAdmin(engine: Engine): BudgetAdmin {
  const periodAround = rememberedPeriods();

  async function settleIn(
    transaction: Transaction<Tables>,
    organizationId: string,
    requests: readonly ResettledRequest[],
  ): Promise<string[]> {
    if (requests.length === 0) return [];
    const budgets = await budgetsIn(transaction, organizationId);
    await lockBudgets(
      engine,
      transaction,
      budgets.map(({ id }) => id),
    );
    const now = await engine.wallAt(transaction);
    const counted: string[] = [];
    for (const budget of budgets) {
      const period = periodAround(budget, now);
      // Clocks may differ by as much: what seems to be of this period may have been counted in the one before.
      const since = Math.max(period.from, budget.setWallAt) + NOTICED_MS;
      const more = requests
        .filter(({ spender, sentWallAt }) => appliesTo(budget, spender) && sentWallAt >= since)
        .reduce((sum, { before, after }) => {
          return sum + usedBy(budget, after.charged, after.price) - usedBy(budget, before.charged, before.price);
        }, 0n);
      if (more === 0n) continue;
      const id = leaseId(budget.id, period.from, SETTLED);
      const known = await transaction.selectFrom("budget_leases").selectAll().where("id", "=", id).executeTakeFirst();
      const amount = amountToColumn(amountFromColumn(known?.amount ?? 0) + more);
      await transaction.deleteFrom("budget_leases").where("id", "=", id).execute();
      await transaction
        .insertInto("budget_leases")
        .values({
          id,
          budget_id: budget.id,
          period_from: period.from,
          period_to: period.to,
          lease: SETTLED,
          process: "",
          amount,
          used: amount,
          turn: 0,
        })
        .execute();
      counted.push(budget.id);
    }
    return counted;
  }

  async function usesOf(budgets: readonly Budget[]): Promise<BudgetUse[]> {
    const { reader, wallAt } = engine;
    if (budgets.length === 0) return [];
    const now = await wallAt(reader);
    const ids = budgets.map(({ id }) => id);
    const sums = await inParts(ids, (part) =>
      reader
        .selectFrom("budget_leases")
        .select(["budget_id", "period_from", sumText("amount").as("amount"), sumText("used").as("used")])
        .where("budget_id", "in", part)
        .where("period_to", ">", now)
        .where("turn", "<", ENDED_TURN)
        .groupBy(["budget_id", "period_from"])
        .execute(),
    );
    const ofPeriod = new Map(sums.map((sum) => [`${sum.budget_id} ${sum.period_from}`, sum]));
    return budgets.map((budget) => {
      const period = periodAround(budget, now);
      const sum = ofPeriod.get(`${budget.id} ${period.from}`);
      const [amount, used] = [amountFromSum(sum?.amount ?? "0"), amountFromSum(sum?.used ?? "0")];
      return { budget, period, used, leased: amount - used };
    });
  }

  return {
    setBudget: (act, budget) =>
      recordChange(engine, act, async (transaction) => {
        if (!(await organizationExists(transaction, budget.organizationId))) return null;
        const alike = (await budgetsIn(transaction, budget.organizationId)).filter((one) => isAlike(one, budget));
        const timeZone = budget.timeZone ?? (alike.length === 1 ? alike[0]!.timeZone : "UTC");
        const replaced = alike.find((one) => one.timeZone === timeZone) ?? null;
        const { limit, warnPercent } = budget;
        const set =
          replaced === null ? { ...budget, timeZone } : { ...replaced, limit, warnPercent, changedWallAt: act.wallAt };
        if (replaced !== null) await transaction.deleteFrom("budgets").where("id", "=", set.id).execute();
        await transaction.insertInto("budgets").values(fromBudget(set)).execute();
        const detail = { ...inTrail(set), replaced: replaced === null ? null : inTrail(replaced) };
        return {
          result: { budget: set, replaced, inOtherZones: alike.filter((one) => one !== replaced) },
          entry: { organizationId: set.organizationId, subjectId: set.id, detail },
        };
      }),

    budgets: async (organizationId, page = {}) => {
      const all = engine.reader.selectFrom("budgets").selectAll();
      const chosen = organizationId === undefined ? all : all.where("organization_id", "=", organizationId);
      return usesOf((await readPage(chosen, page, "oldest first")).map(toBudget));
    },

    budget: async (id) => {
      const row = await engine.reader.selectFrom("budgets").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : (await usesOf([toBudget(row)]))[0]!;
    },

    removeBudget: (act, id) =>
      recordChange(engine, act, async (transaction) => {
        const row = await transaction.selectFrom("budgets").selectAll().where("id", "=", id).executeTakeFirst();
        if (row === undefined) return null;
        await transaction.deleteFrom("budgets").where("id", "=", id).execute();
        await transaction.deleteFrom("budget_leases").where("budget_id", "=", id).execute();
        const budget = toBudget(row);
        const { organizationId } = budget;
        return { result: budget, entry: { organizationId, subjectId: id, detail: inTrail(budget) } };
      }),

    settleInBudgets: (act, decided) =>
      engine.writer.transaction().execute(async (transaction) => {
        const { organizationId, subjectId, detail } = decided;
        await engine.lockNames(transaction, [`settlements of ${subjectId}`]);
        const recorded = await transaction
          .selectFrom("audit")
          .selectAll()
          .where("subject_id", "=", subjectId)
          .where("what", "=", act.what)
          .orderBy("id")
          .execute();
        const requests = decided.requests(recorded.map(toAuditEntry));
        const counted = organizationId === null ? [] : await settleIn(transaction, organizationId, requests);
        await insertAuditEntry(transaction, act, {
          organizationId,
          subjectId,
          detail: { ...detail, changed_budgets: counted },
        });
        return counted;
      }),
  };
}

async function budgetsIn(db: Kysely<Tables>, organizationId: string): Promise<Budget[]> {
  const own = db.selectFrom("budgets").selectAll().where("organization_id", "=", organizationId);
  return (await own.orderBy("id").execute()).map(toBudget);
}

/** As text, because a sum can be larger than a number holds. */
function sumText(column: "amount" | "used") {
  return sql<string>`CAST(sum(${sql.ref(column)}) AS text)`;
}

/** Whether a new budget would count the same as one that is there, if they had the same time zone. */
function isAlike(one: Budget, other: NewBudget): boolean {
  const names = ["organizationId", "workflowId", "source", "credentialId", "per", "currency"] as const;
  return names.every((name) => one[name] === other[name]);
}

function inTrail(budget: Budget) {
  return {
    workflow: budget.workflowId,
    source: budget.source,
    cred_id: budget.credentialId,
    per: budget.per,
    time_zone: budget.timeZone,
    limit: budgetText(budget, budget.limit),
    warn_percent: budget.warnPercent,
  };
}
