import { hash } from "node:crypto";
import type { Insertable, Kysely, Transaction } from "kysely";
import type { Act } from "../admin/ports.ts";
import type { OnProgress } from "../terms/on-progress.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { Engine } from "./engine.ts";
import { insertAuditEntry } from "./record-change.ts";
import type { Tables } from "./tables.ts";

/** All tables of a store except its ledger, in an order in which rows follow the rows that they refer to. */
export const COPIED = [
  "organizations",
  "tokens",
  "workflows",
  "data_keys",
  "credentials",
  "credential_prices",
  "credential_calls",
  "budgets",
  "budget_leases",
  "operators",
  "audit",
  "versions",
  "shadow_results",
  "state_keys",
  "reply_shapes",
] as const;
type Copied = (typeof COPIED)[number];

/** The target of a copy must have no rows in these tables either. */
const LEDGER = ["ledger_runs", "ledger_calls", "ledger_attempts", "ledger_reconciliations"] as const;

const ROWS_AT_ONCE = 500;

/**
 * Copies a store to an empty one, in one transaction on each: all of it or nothing. The source is locked against
 * changes meanwhile. Before the target is committed, its content is read back and compared.
 * @throws OperatorError when the target is not empty, or does not return the written rows
 */
export async function copyTables(
  from: Engine,
  to: Engine,
  act: Act,
  onProgress: OnProgress = () => {},
): Promise<Readonly<Record<Copied, number>>> {
  let copied = 0;
  return from.writer.transaction().execute((source) =>
    to.writer.transaction().execute(async (target) => {
      // Every change to a store increments this counter first, so all other changes have to wait.
      await target
        .updateTable("datarun_changes")
        .set((row) => ({ changes: row("changes", "+", 1) }))
        .execute();
      for (const table of [...COPIED, ...LEDGER]) await assertEmpty(target, table);
      const counts: Partial<Record<Copied, number>> = {};
      for (const table of COPIED) {
        const written = { rows: 0, digest: 0n };
        for await (const rows of pages(source, table)) {
          for (const row of rows) add(written, row);
          await target
            .insertInto(table)
            .values(rows as unknown as Insertable<Tables[Copied]>[])
            .execute();
          copied += rows.length;
          onProgress("rows copied", copied);
        }
        const readBack = await summaryOf(target, table);
        if (written.rows !== readBack.rows || written.digest !== readBack.digest) {
          throw new OperatorError(
            "refused",
            `The table ${table} was not read back as it was written. Nothing was copied.`,
          );
        }
        counts[table] = readBack.rows;
      }
      await insertAuditEntry(target, act, { organizationId: null, subjectId: "store", detail: { ...counts } });
      return counts as Record<Copied, number>;
    }),
  );
}

async function assertEmpty(target: Transaction<Tables>, table: Copied | (typeof LEDGER)[number]): Promise<void> {
  const row = await target
    .selectFrom(table)
    .select((row) => row.lit(1).as("one"))
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return;
  throw new OperatorError(
    "refused",
    `The database is not empty: it holds ${table.replaceAll("_", " ")}. A store is copied to a new database only, on which no service has started.`,
  );
}

type AnyRow = Readonly<Record<string, unknown>> & { readonly id: string };

async function* pages(db: Kysely<Tables>, table: Copied): AsyncGenerator<readonly AnyRow[]> {
  let after = "";
  for (;;) {
    const rows = await db
      .selectFrom(table)
      .selectAll()
      .where("id", ">", after)
      .orderBy("id")
      .limit(ROWS_AT_ONCE)
      .execute();
    if (rows.length === 0) return;
    yield rows as unknown as readonly AnyRow[];
    after = rows.at(-1)!.id;
  }
}

interface Summary {
  rows: number;
  digest: bigint;
}

/** Engines sort texts differently, so rows are compared by the sum of their hashes. */
async function summaryOf(db: Kysely<Tables>, table: Copied): Promise<Summary> {
  const sum = { rows: 0, digest: 0n };
  for await (const page of pages(db, table)) for (const row of page) add(sum, row);
  return sum;
}

function add(sum: Summary, row: AnyRow): void {
  sum.rows += 1;
  const text = JSON.stringify(
    Object.keys(row)
      .toSorted()
      .map((name) => [name, row[name]]),
  );
  sum.digest = BigInt.asUintN(256, sum.digest + BigInt(`0x${hash("sha256", text, "hex")}`));
}
