import type { Insertable, Transaction } from "kysely";
import type { LedgerSink, RunReportRow } from "../ledger/ports.ts";
import type { Engine } from "./engine.ts";
import type { Tables } from "./schema.ts";

/** What makes a row the same row when it comes again. */
const KEYS = {
  ledger_runs: ["transaction_id"],
  ledger_calls: ["transaction_id", "ordinal"],
  ledger_attempts: ["transaction_id", "ordinal", "number"],
  ledger_reconciliations: ["transaction_id", "ordinal", "revision"],
} as const;

type LedgerTable = keyof typeof KEYS;

/** PostgreSQL takes 65,535 parameters a statement; the widest row has 14. */
const ROWS_A_STATEMENT = 1_000;

/** The shared end of the outbox: a batch is one transaction, and a row that comes again replaces itself. */
export function ledgerSink(engine: Engine): LedgerSink {
  return {
    async write(batch) {
      await engine.ready();
      await engine.writer.transaction().execute(async (transaction) => {
        await put(transaction, "ledger_runs", batch.map(({ run }) => run)); // prettier-ignore
        await put(transaction, "ledger_calls", rowsOf(batch, "calls"));
        await put(transaction, "ledger_attempts", rowsOf(batch, "attempts"));
        await put(transaction, "ledger_reconciliations", rowsOf(batch, "reconciliations"));
      });
    },
  };
}

function rowsOf<Part extends "calls" | "attempts" | "reconciliations">(
  batch: readonly RunReportRow[],
  part: Part,
): RunReportRow[Part][number][] {
  return batch.flatMap((report) => [...report[part]]);
}

async function put<Table extends LedgerTable>(
  transaction: Transaction<Tables>,
  table: Table,
  rows: readonly Tables[Table][],
): Promise<void> {
  const keys: readonly string[] = KEYS[table];
  // Each row once, as it came last, since a statement may not put the same row twice; and in one order everywhere, so
  // that a batch and its own repetition never wait for each other in a circle.
  const byKey = new Map(rows.map((row) => [JSON.stringify(keys.map((key) => row[key as keyof typeof row])), row]));
  const ordered = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  for (let at = 0; at < ordered.length; at += ROWS_A_STATEMENT) {
    const some = ordered.slice(at, at + ROWS_A_STATEMENT);
    const others = Object.keys(some[0]!).filter((column) => !keys.includes(column));
    await transaction
      .insertInto(table as LedgerTable)
      .values(some as unknown as Insertable<Tables[LedgerTable]>[])
      .onConflict((conflict) =>
        conflict
          .columns(keys as never)
          .doUpdateSet(
            (row) =>
              Object.fromEntries(others.map((column) => [column, row.ref(`excluded.${column}` as never)])) as never,
          ),
      )
      .execute();
  }
}
