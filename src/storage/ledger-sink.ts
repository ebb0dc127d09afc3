import type { Insertable, Transaction } from "kysely";
import type { LedgerSink, OutboxMark, RunReportRow } from "../ledger/ports.ts";
import { LedgerBehind, LedgerRefused } from "../terms/sink-errors.ts";
import type { Engine } from "./engine.ts";
import type { Tables } from "./schema.ts";

/** What makes a row the same row when it comes again. */
const KEYS = {
  ledger_runs: ["transaction_id"],
  ledger_calls: ["transaction_id", "ordinal"],
  ledger_attempts: ["transaction_id", "ordinal", "number"],
  ledger_reconciliations: ["transaction_id", "ordinal", "revision"],
} as const satisfies { readonly [Table in keyof Tables]?: readonly (keyof Tables[Table])[] };

type LedgerTable = keyof typeof KEYS;

/** PostgreSQL takes 65,535 parameters a statement; the widest row has some twenty. */
const ROWS_A_STATEMENT = 1_000;

/**
 * The shared end of the outbox. A batch is one transaction, so that what is there of a run is all of it; a journal never
 * changes a run that it may have sent, so that what comes again says nothing new and must not undo what has been settled here.
 */
export function createLedgerSink(engine: Engine): LedgerSink {
  return {
    async write(batch, mark) {
      await engine.ready();
      await engine.writer
        .transaction()
        .execute(async (transaction) => {
          if (mark !== undefined) await moveMark(transaction, mark);
          await put(transaction, "ledger_runs", batch.map(({ run }) => run)); // prettier-ignore
          await put(transaction, "ledger_calls", rowsOf(batch, "calls"));
          await put(transaction, "ledger_attempts", rowsOf(batch, "attempts"));
          await put(transaction, "ledger_reconciliations", rowsOf(batch, "reconciliations"));
        })
        .catch(sayWhenRefused);
    },
  };
}

/** Of PostgreSQL's classes: data that are none for their column, and rows that break a constraint. */
const REFUSAL = /^2[23]/;

function sayWhenRefused(error: unknown): never {
  const code = (error as { readonly code?: unknown }).code;
  if (typeof code === "string" && REFUSAL.test(code)) throw new LedgerRefused(`refused with ${code}`, { cause: error });
  throw error;
}

/** @throws LedgerBehind */
async function moveMark(transaction: Transaction<Tables>, { journal, after, upTo }: OutboxMark): Promise<void> {
  const row = await transaction
    .selectFrom("ledger_outboxes")
    .select("run")
    .where("journal", "=", journal)
    .executeTakeFirst();
  const has = row?.run ?? 0;
  if (has < after) throw new LedgerBehind(has);
  if (has >= upTo) return;
  await transaction
    .insertInto("ledger_outboxes")
    .values({ journal, run: upTo })
    .onConflict((conflict) => conflict.column("journal").doUpdateSet({ run: upTo }))
    .execute();
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
  // In one order everywhere, so that a batch and its own repetition never wait for each other in a circle.
  const keyOf = (row: Tables[Table]) => JSON.stringify(keys.map((key) => row[key as keyof typeof row]));
  const ordered = rows
    .map((row) => [keyOf(row), row] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row);
  for (let at = 0; at < ordered.length; at += ROWS_A_STATEMENT) {
    const some = ordered.slice(at, at + ROWS_A_STATEMENT);
    await transaction
      .insertInto(table as LedgerTable)
      .values(some as unknown as Insertable<Tables[LedgerTable]>[])
      .onConflict((conflict) => conflict.columns(keys as never).doNothing())
      .execute();
  }
}
