import type { Transaction } from "kysely";
import type { LedgerSink } from "../ledger/ports.ts";
import type { Engine } from "./engine.ts";
import type { NewRow, Tables } from "./schema.ts";

/** Rows a statement: few enough for the parameters that PostgreSQL takes, 65,535 of them. */
const ROWS_AT_ONCE = 1_000;

/** What makes each row the same row when it comes again. */
const KEYS = {
  ledger_runs: ["transaction_id"],
  ledger_calls: ["transaction_id", "ordinal"],
  ledger_attempts: ["transaction_id", "ordinal", "number"],
  ledger_reconciliations: ["transaction_id", "ordinal", "revision"],
} as const;

type LedgerTable = keyof typeof KEYS;

/** Takes the runs of any number of journals; a batch is one transaction, and a row that comes again is replaced. */
export function ledgerSink(engine: Engine): LedgerSink {
  return {
    write: (batch) =>
      engine.writer.transaction().execute(async (transaction) => {
        await putRows(transaction, "ledger_runs", batch.map(({ run }) => run)); // prettier-ignore
        await putRows(transaction, "ledger_calls", batch.flatMap(({ calls }) => calls)); // prettier-ignore
        await putRows(transaction, "ledger_attempts", batch.flatMap(({ attempts }) => attempts)); // prettier-ignore
        await putRows(transaction, "ledger_reconciliations", batch.flatMap(({ reconciliations }) => reconciliations)); // prettier-ignore
      }),
  };
}

async function putRows<Table extends LedgerTable>(
  transaction: Transaction<Tables>,
  table: Table,
  rows: readonly NewRow<Table>[],
): Promise<void> {
  const key: readonly string[] = KEYS[table];
  // In one order everywhere, so that two batches with rows in common never wait for each other; and once each, since a
  // statement may not replace what it has just put.
  const last = new Map(rows.map((row) => [JSON.stringify(key.map((name) => row[name as keyof NewRow<Table>])), row]));
  const ordered = [...last].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  for (let at = 0; at < ordered.length; at += ROWS_AT_ONCE) {
    const some = ordered.slice(at, at + ROWS_AT_ONCE);
    const columns = Object.keys(some[0]!).filter((name) => !key.includes(name));
    await transaction
      .insertInto(table as LedgerTable)
      .values(some as NewRow<LedgerTable>[])
      .onConflict((conflict) =>
        conflict
          .columns(key as never)
          .doUpdateSet((row) =>
            Object.fromEntries(columns.map((name) => [name, row.ref(`excluded.${name}` as never)])),
          ),
      )
      .execute();
  }
}
