import { sql, type Transaction } from "kysely";
import type { LedgerSink, OutboxMark, RowsInColumns } from "../ledger/ports.ts";
import { SPAN_CHARS, spanOf } from "../terms/ids.ts";
import { LedgerBehind, LedgerRefused } from "../terms/sink-errors.ts";
import { addRows } from "./add-rows.ts";
import type { Engine } from "./engine.ts";
import type { Tables } from "./tables.ts";

/** The columns that identify a row that is sent again. */
const KEYS = {
  ledger_runs: ["transaction_id"],
  ledger_calls: ["transaction_id", "ordinal"],
  ledger_attempts: ["transaction_id", "ordinal", "number"],
  ledger_reconciliations: ["transaction_id", "ordinal", "revision"],
} as const satisfies { readonly [Table in keyof Tables]?: readonly (keyof Tables[Table])[] };

type LedgerTable = keyof typeof KEYS;

/**
 * The shared database's end of the outbox. A batch is one transaction, so that each run is stored completely or not at
 * all. A journal never changes a run that it may have sent. So a run that is sent again has no new data, and must not
 * undo settlements of the shared ledger.
 */
export function createLedgerSink(engine: Engine): LedgerSink {
  return {
    async write(batch, mark) {
      await engine.ready();
      await engine.writer
        .transaction()
        .execute(async (transaction) => {
          const isNew = mark === undefined || (await moveMark(transaction, mark));
          const put = (table: LedgerTable, rows: RowsInColumns) =>
            addRows(engine.name, transaction, { table, key: KEYS[table], rows });
          // In a fixed order, so that a batch and its own repetition cannot deadlock: one waits here for the other.
          const inOrder = { orderedBy: "transaction_id", returning: "transaction_id" };
          const runs = { table: "ledger_runs", key: KEYS.ledger_runs, rows: batch.runs, ...inOrder };
          const added = await addRows(engine.name, transaction, runs);
          await put("ledger_calls", batch.calls);
          await put("ledger_attempts", batch.attempts);
          await put("ledger_reconciliations", batch.reconciliations);
          // A run that was counted and then lost is not counted again.
          if (isNew) await count(transaction, mark?.journal ?? "", added);
          else await deleteAgain(transaction, added);
        })
        .catch(throwIfRefused);
    },
  };
}

/** PostgreSQL's codes for values that do not fit their column or its type, and for rows that violate a constraint. */
const REFUSAL = /^(?:2[23]|42804)/;

function throwIfRefused(error: unknown): never {
  const code = (error as { readonly code?: unknown }).code;
  if (typeof code === "string" && REFUSAL.test(code)) throw new LedgerRefused(`refused with ${code}`, { cause: error });
  throw error;
}

/** Whether this is the first arrival of the batch. @throws LedgerBehind */
async function moveMark(transaction: Transaction<Tables>, { journal, after, upTo }: OutboxMark): Promise<boolean> {
  const moved = await transaction
    .updateTable("ledger_outboxes")
    .set({ run: upTo })
    .where((row) => row.and([row("journal", "=", journal), row("run", ">=", after), row("run", "<", upTo)]))
    .executeTakeFirst();
  if (moved.numUpdatedRows > 0n) return true;
  const row = await transaction
    .selectFrom("ledger_outboxes")
    .select("run")
    .where("journal", "=", journal)
    .executeTakeFirst();
  const has = row?.run ?? 0;
  if (has >= upTo) return false;
  if (has < after) throw new LedgerBehind(has);
  await transaction
    .insertInto("ledger_outboxes")
    .values({ journal, run: upTo })
    .onConflict((conflict) => conflict.column("journal").doUpdateSet({ run: upTo }))
    .execute();
  return true;
}

/**
 * Deletes runs of a repeated batch again that were deleted "for good" before. Like lost runs, they are missing here.
 */
async function deleteAgain(transaction: Transaction<Tables>, transactionIds: readonly string[]) {
  if (transactionIds.length === 0) return;
  const deleted = await transaction
    .deleteFrom("ledger_runs")
    .where("transaction_id", "in", transactionIds)
    .where((row) =>
      row.exists(
        row
          .selectFrom("ledger_run_counts as counts")
          .select("counts.span")
          .where("counts.journal", "=", "")
          .where("counts.span", "=", sql<string>`substr(ledger_runs.transaction_id, 1, ${sql.lit(SPAN_CHARS)})`)
          .whereRef("counts.deleted_up_to", ">=", "ledger_runs.started_at"),
      ),
    )
    .returning("transaction_id")
    .execute();
  const ids = deleted.map((run) => run.transaction_id);
  if (ids.length === 0) return;
  for (const table of ["ledger_calls", "ledger_attempts", "ledger_reconciliations"] as const)
    await transaction
      .deleteFrom(table as "ledger_calls")
      .where("transaction_id", "in", ids)
      .execute();
}

/** Counts runs, so that `ledger verify` notices a missing run without any remaining row. */
async function count(transaction: Transaction<Tables>, journal: string, transactionIds: readonly string[]) {
  const spans = Map.groupBy(transactionIds, spanOf);
  if (spans.size === 0) return;
  await transaction
    .insertInto("ledger_run_counts")
    .values([...spans].map(([span, ids]) => ({ span, journal, runs: ids.length })))
    .onConflict((conflict) =>
      conflict
        .columns(["span", "journal"])
        .doUpdateSet((row) => ({ runs: sql`${row.ref("ledger_run_counts.runs")} + ${row.ref("excluded.runs")}` })),
    )
    .execute();
}
