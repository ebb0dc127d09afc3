import { type Kysely, sql, type Transaction } from "kysely";
import type { BudgetAdmin, BudgetUse, NewBudget, ResettledRequest, StartSums } from "../admin/ports.ts";
import type { StoredLease } from "../limits/budgets/ports.ts";
import {
  appliesTo,
  budgetText,
  cachedPeriods,
  countsFrom,
  usedBy,
  usedByAll,
  type Budget,
} from "../terms/money/budget.ts";
import { amountFromColumn, amountFromSum } from "../terms/money/money.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { toAuditEntry } from "./audit-trail.ts";
import { LeaseRows } from "./budget-leases.ts";
import {
  ENDED_SEQUENCE,
  fromBudget,
  lockBudgets,
  SETTLED,
  settledLease,
  SILENT_MS,
  startOf,
  toBudget,
} from "./budget-rows.ts";
import type { Engine } from "./engine.ts";
import { organizationExists } from "./organization-admin.ts";
import { inBatches, readPage } from "./read-page.ts";
import { insertAuditEntry, recordChange } from "./record-change.ts";
import type { Row, Tables } from "./tables.ts";

/**
 * After this time every process has noticed a new budget, even one that could not reach the store. Earlier requests may
 * not have been counted, so settling their charges frees nothing.
 */
const NOTICED_MS = 5 * 60_000;

/** Number of recounts before giving up, if leases start or end during each. */
const RECOUNTS_MAX = 5;

export function createBudgetAdmin(engine: Engine): BudgetAdmin {
  const periodAround = cachedPeriods();

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
      // Clocks may differ by this much: a request that seems to be of this period may have been counted in the previous
      // one. Around the time when the budget was set, neither the ledger nor a lease may have counted it.
      const since = Math.max(period.from, countsFrom(budget)) + NOTICED_MS;
      const isUncertain = (sentWallAt: number) => Math.abs(sentWallAt - budget.setWallAt) < NOTICED_MS;
      const more = requests
        .filter(
          ({ spender, sentWallAt }) => appliesTo(budget, spender) && sentWallAt >= since && !isUncertain(sentWallAt),
        )
        .reduce((sum, { before, after }) => {
          return sum + usedBy(budget, after.charged, after.price) - usedBy(budget, before.charged, before.price);
        }, 0n);
      if (more === 0n) continue;
      const leases = new LeaseRows(await rowsIn(transaction, { budget, period }));
      const settled = leases.of(budget.id, period.from).find(({ lease }) => lease === SETTLED);
      leases.apply(budget.id, period, { changed: [settledLease((settled?.used ?? 0n) + more)], forgotten: [] });
      await leases.write(engine.name, transaction);
      counted.push(budget.id);
    }
    return counted;
  }

  /** Adds what the period of a new budget has cost before, unless the period has ended meanwhile. */
  async function addSoFar(
    transaction: Transaction<Tables>,
    budget: Budget,
    { fromWallAt, used }: NonNullable<NewBudget["soFar"]>,
  ): Promise<void> {
    const period = periodAround(budget, await engine.wallAt(transaction));
    if (period.from !== fromWallAt || used === 0n) return;
    const leases = new LeaseRows([]);
    leases.apply(budget.id, period, { changed: [settledLease(used)], forgotten: [] });
    await leases.write(engine.name, transaction);
  }

  async function usesOf(budgets: readonly Budget[]): Promise<BudgetUse[]> {
    const { reader, wallAt } = engine;
    if (budgets.length === 0) return [];
    const now = await wallAt(reader);
    const ids = budgets.map(({ id }) => id);
    const sums = await inBatches(ids, (part) =>
      reader
        .selectFrom("budget_leases")
        .select(["budget_id", "period_from", sumText("amount").as("amount"), sumText("used").as("used")])
        .select(silentText(now).as("silent"))
        .where("budget_id", "in", part)
        .where("period_to", ">", now)
        .where("turn", "<", ENDED_SEQUENCE)
        .groupBy(["budget_id", "period_from"])
        .execute(),
    );
    const ofPeriod = new Map(sums.map((sum) => [`${sum.budget_id} ${sum.period_from}`, sum]));
    return budgets.map((budget) => {
      const period = periodAround(budget, now);
      const sum = ofPeriod.get(`${budget.id} ${period.from}`);
      const [amount, used] = [amountFromSum(sum?.amount ?? "0"), amountFromSum(sum?.used ?? "0")];
      const silent = amountFromSum(sum?.silent ?? "0");
      return { budget, period, used, leased: amount - used - silent, silent };
    });
  }

  async function useOf(id: string): Promise<BudgetUse | null> {
    const row = await engine.reader.selectFrom("budgets").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : (await usesOf([toBudget(row)]))[0]!;
  }

  return {
    setBudget: (act, { soFar, ...budget }) =>
      recordChange(engine, act, async (transaction) => {
        if (!(await organizationExists(transaction, budget.organizationId))) return null;
        const alike = (await budgetsIn(transaction, budget.organizationId)).filter((one) => isAlike(one, budget));
        const timeZone = budget.timeZone ?? (alike.length === 1 ? alike[0]!.timeZone : "UTC");
        const replaced = alike.find((one) => one.timeZone === timeZone) ?? null;
        const { limit, warnPercent } = budget;
        const set =
          replaced === null
            ? { ...budget, timeZone, ...(soFar !== undefined && { countsFromWallAt: soFar.fromWallAt }) }
            : { ...replaced, limit, warnPercent, changedWallAt: act.wallAt };
        if (replaced === null) {
          await transaction.insertInto("budgets").values(fromBudget(set)).execute();
          if (soFar !== undefined) await addSoFar(transaction, set, soFar);
        } else {
          const { amount, warn_percent, changed_wall_at } = fromBudget(set);
          const changed = { amount, warn_percent, changed_wall_at };
          await transaction.updateTable("budgets").set(changed).where("id", "=", set.id).execute();
        }
        const detail = {
          ...inTrail(set),
          ...(replaced === null && soFar !== undefined && { counted_so_far: budgetText(set, soFar.used) }),
          replaced: replaced === null ? null : inTrail(replaced),
        };
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

    budget: useOf,

    openBudgetLeases: async (process) => {
      const { reader, wallAt } = engine;
      const now = await wallAt(reader);
      const rows = await reader
        .selectFrom("budget_leases")
        .selectAll()
        .where("process", "=", process)
        .where("period_to", ">", now)
        .where("turn", "<", ENDED_SEQUENCE)
        .execute();
      const ids = [...new Set(rows.map((row) => row.budget_id))];
      const budgets = await inBatches(ids, (part) =>
        reader.selectFrom("budgets").selectAll().where("id", "in", part).execute(),
      );
      return rows.flatMap((row) => {
        const found = budgets.find(({ id }) => id === row.budget_id);
        if (found === undefined) return [];
        const period = { from: row.period_from, to: row.period_to };
        const { lease, heard_at: heardAt } = row;
        const amount = amountFromColumn(row.amount);
        return [{ budget: toBudget(found), period, lease, amount, isSilent: isSilent(heardAt, now) }];
      });
    },

    recountBudget: async (act, id, sumsOf) => {
      for (let tries = 0; tries < RECOUNTS_MAX; tries += 1) {
        const before = await useOf(id);
        if (before === null) return null;
        const leasesBefore = leasesIn(await rowsIn(engine.reader, before));
        const sums = await sumsOf(before);
        let isOutdated = false;
        const counted = await recordChange(engine, act, async (transaction) => {
          await lockBudgets(engine, transaction, [id]);
          const now = await engine.wallAt(transaction);
          const rows = await rowsIn(transaction, before);
          isOutdated = now >= before.period.to || leasesIn(rows) !== leasesBefore;
          if (isOutdated) return null;
          const leases = new LeaseRows(rows);
          const { budget, period } = before;
          const { keeping, twice } = recount(budget, leases.of(id, period.from), sums, now);
          leases.apply(id, period, keeping);
          await leases.write(engine.name, transaction);
          const { organizationId } = budget;
          const detail = { ...inTrail(budget), used_before: budgetText(budget, before.used) };
          return { result: twice, entry: { organizationId, subjectId: id, detail } };
        });
        if (!isOutdated) return counted === null ? null : { before, after: (await useOf(id))!, twice: counted };
      }
      throw new OperatorError("unavailable", "Services were started or stopped meanwhile. Give the command again.");
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

/** The sum of silent leases' units beyond their use, as text like other sums. */
function silentText(now: number) {
  return sql<string>`CAST(sum(CASE WHEN lease <> ${SETTLED} AND coalesce(heard_at, 0) <= ${now - SILENT_MS}
    THEN amount - used ELSE 0 END) AS text)`;
}

function rowsIn(db: Kysely<Tables>, { budget, period }: Pick<BudgetUse, "budget" | "period">) {
  return db
    .selectFrom("budget_leases")
    .selectAll()
    .where("budget_id", "=", budget.id)
    .where("period_from", "=", period.from)
    .execute();
}

function isSilent(heardAt: number | null, now: number): boolean {
  return (heardAt ?? 0) <= now - SILENT_MS;
}

/** The existing leases, and whether each has ended. */
function leasesIn(rows: readonly Pick<Row<"budget_leases">, "lease" | "turn">[]): string {
  return rows
    .map(({ lease, turn }) => `${lease} ${turn === ENDED_SEQUENCE}`)
    .toSorted()
    .join();
}

/**
 * Computes the rows of a budget from the ledger. A start continues its lease if it has been in contact lately or holds
 * nothing, so its requests in the ledger are not counted again. If a start has replaced its lease, the ledger does not
 * show which request belongs to which lease: `twice` is the number of such starts, which are counted in full.
 */
function recount(budget: Budget, rows: readonly StoredLease[], sums: StartSums, now: number) {
  const open = rows.filter(({ lease, sequence }) => lease !== SETTLED && sequence !== ENDED_SEQUENCE);
  const staying = open.filter(({ heardAt, amount, used }) => !isSilent(heardAt, now) || amount === used);
  const starts = new Set(staying.map(({ lease }) => startOf(lease)));
  const isAnew = (start: string) => staying.some(({ lease }) => startOf(lease) === start && lease.endsWith("'"));
  const recordedOf = (start: string) =>
    usedByAll(
      budget,
      sums.recorded.filter((sum) => sum.start === start),
    );
  const known = [...starts].filter((start) => !isAnew(start));
  const all = usedByAll(budget, sums.now);
  const used = known.reduce((rest, start) => rest - recordedOf(start), all);
  const ended = open
    .filter(({ lease }) => !starts.has(startOf(lease)))
    .map((row) => ({
      ...row,
      sequence: ENDED_SEQUENCE,
      amount: 0n,
      used: recordedOf(startOf(row.lease)),
      heardAt: now,
    }));
  return { keeping: { changed: [settledLease(used), ...ended], forgotten: [] }, twice: starts.size - known.length };
}

async function budgetsIn(db: Kysely<Tables>, organizationId: string): Promise<Budget[]> {
  const own = db.selectFrom("budgets").selectAll().where("organization_id", "=", organizationId);
  return (await own.orderBy("id").execute()).map(toBudget);
}

/** As text, because a sum can exceed 2^53. */
function sumText(column: "amount" | "used") {
  return sql<string>`CAST(sum(${sql.ref(column)}) AS text)`;
}

/** Whether a new budget counts the same requests as an existing one, apart from the time zone. */
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
