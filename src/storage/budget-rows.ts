import type { Transaction } from "kysely";
import type { StoredLease } from "../limits/budgets/ports.ts";
import type { Budget } from "../terms/money/budget.ts";
import { amountFromColumn, amountToColumn, type Micros } from "../terms/money/money.ts";
import type { Engine } from "./engine.ts";
import type { NewRow, Row, Tables } from "./tables.ts";

/** The lease for units that no process holds any more, and for charges settled by hand. */
export const SETTLED = "settled";
/** The sequence of an ended lease: its use is counted under `SETTLED`. */
export const ENDED_SEQUENCE = Number.MAX_SAFE_INTEGER;

export function toBudget(row: Row<"budgets">): Budget {
  return {
    id: row.id,
    organizationId: row.organization_id,
    workflowId: row.workflow_id,
    source: row.source,
    credentialId: row.credential_id,
    per: row.per,
    timeZone: row.time_zone ?? "UTC",
    currency: row.currency,
    limit: amountFromColumn(row.amount),
    warnPercent: row.warn_percent,
    setWallAt: row.set_wall_at,
    ...(row.counts_from !== null && { countsFromWallAt: row.counts_from }),
    ...(row.changed_wall_at !== null && { changedWallAt: row.changed_wall_at }),
  };
}

export function fromBudget(budget: Budget): NewRow<"budgets"> {
  return {
    id: budget.id,
    organization_id: budget.organizationId,
    workflow_id: budget.workflowId,
    source: budget.source,
    credential_id: budget.credentialId,
    per: budget.per,
    time_zone: budget.timeZone,
    currency: budget.currency,
    amount: amountToColumn(budget.limit),
    warn_percent: budget.warnPercent,
    set_wall_at: budget.setWallAt,
    counts_from: budget.countsFromWallAt ?? null,
    changed_wall_at: budget.changedWallAt ?? null,
    begun_from: null,
  };
}

/** A lease without contact for this long belongs to a process that is dead or cannot reach the store. */
export const SILENT_MS = 60_000;

/** The start of a service that owns the lease: the names of its leases begin with its name. */
export function startOf(lease: string): string {
  return lease.slice(0, lease.lastIndexOf("."));
}

/** A row for used units that no process holds. */
export function settledLease(used: Micros): StoredLease {
  return { lease: SETTLED, process: "", sequence: 0, amount: used, used, heardAt: null };
}

export function leaseId(budgetId: string, periodFrom: number, lease: string): string {
  return `${budgetId}/${periodFrom}/${lease}`;
}

/** Locks leases of these budgets against changes by other processes until the transaction ends. */
export function lockBudgets(engine: Engine, transaction: Transaction<Tables>, ids: Iterable<string>): Promise<void> {
  return engine.lockNames(
    transaction,
    [...new Set(ids)].sort().map((id) => `budget ${id}`),
  );
}
