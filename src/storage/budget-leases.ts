import { sql, type Transaction } from "kysely";
import type { Keeping, StoredLease } from "../limits/budgets/ports.ts";
import type { TimeSpan } from "../terms/time/calendar.ts";
import { amountFromColumn, amountToColumn } from "../terms/money/money.ts";
import { addRows, inColumns } from "./add-rows.ts";
import { leaseId } from "./budget-rows.ts";
import type { Engine } from "./engine.ts";
import { inBatches } from "./read-page.ts";
import type { Row, Tables } from "./tables.ts";

type LeaseTableRow = Row<"budget_leases">;

/** Rows of leases, read under the locks of their budgets, and their changes. */
export class LeaseRows {
  readonly #rows: Map<string, LeaseTableRow>;
  readonly #changed = new Set<string>();
  readonly #deleted = new Set<string>();

  constructor(rows: readonly LeaseTableRow[]) {
    this.#rows = new Map(rows.map((row) => [row.id, row]));
  }

  of(budgetId: string, periodFrom: number): StoredLease[] {
    return [...this.#rows.values()]
      .filter((row) => row.budget_id === budgetId && row.period_from === periodFrom)
      .map(toStoredLease);
  }

  periods(): { readonly budgetId: string; readonly period: TimeSpan }[] {
    const found = new Map<string, { budgetId: string; period: TimeSpan }>();
    for (const { budget_id: budgetId, period_from: from, period_to: to } of this.#rows.values())
      found.set(`${budgetId} ${from}`, { budgetId, period: { from, to } });
    return [...found.values()];
  }

  apply(budgetId: string, period: TimeSpan, { changed, forgotten }: Keeping): void {
    for (const lease of changed) {
      const row = toRow(budgetId, period, lease);
      this.#rows.set(row.id, row);
      this.#changed.add(row.id);
    }
    for (const lease of forgotten) {
      const id = leaseId(budgetId, period.from, lease);
      this.#rows.delete(id);
      this.#deleted.add(id);
    }
  }

  async write(engine: Engine["name"], transaction: Transaction<Tables>): Promise<void> {
    const rows = [...this.#changed].flatMap((id) => this.#rows.get(id) ?? []);
    await addRows(engine, transaction, { table: "budget_leases", key: ["id"], rows: inColumns(rows), change: REPLACE });
    await inBatches([...this.#deleted], async (part) => {
      await transaction.deleteFrom("budget_leases").where("id", "in", part).execute();
      return [];
    });
  }
}

const REPLACE = sql`update set process = excluded.process, amount = excluded.amount, used = excluded.used,
  turn = excluded.turn, heard_at = excluded.heard_at`;

function toStoredLease(row: LeaseTableRow): StoredLease {
  const { lease, process, turn: sequence } = row;
  return {
    lease,
    process,
    sequence,
    amount: amountFromColumn(row.amount),
    used: amountFromColumn(row.used),
    heardAt: row.heard_at,
  };
}

function toRow(
  budgetId: string,
  period: TimeSpan,
  { lease, process, sequence, amount, used, heardAt }: StoredLease,
): LeaseTableRow {
  return {
    id: leaseId(budgetId, period.from, lease),
    budget_id: budgetId,
    period_from: period.from,
    period_to: period.to,
    lease,
    process,
    amount: amountToColumn(amount),
    used: amountToColumn(used),
    turn: sequence,
    heard_at: heardAt,
  };
}
