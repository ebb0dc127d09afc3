import { Client } from "pg";
import type { LedgerRows } from "./ledger-rows.ts";

type Row = Readonly<Record<string, string | number | null>>;

/** The ledger as it has been drained to the shared database. */
export function readSharedLedger(url: string): Promise<LedgerRows[]> {
  return withClient(url, async (all) => {
    const [runs, calls, attempts] = [
      await all("SELECT * FROM ledger_runs"),
      await all("SELECT * FROM ledger_calls ORDER BY transaction_id, ordinal"),
      await all("SELECT * FROM ledger_attempts ORDER BY transaction_id, ordinal, number"),
    ];
    return runs.map((run) => ({ run, calls: calls.filter(isOf(run)), attempts: attempts.filter(isOf(run)) }));
  });
}

/** Every row of every table, as text. */
export function dumpDatabase(url: string): Promise<string> {
  return withClient(url, async (all) => {
    const tables = await all("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
    const texts: string[] = [];
    for (const { name } of tables) texts.push(JSON.stringify(await all(`SELECT * FROM "${name}"`)));
    return texts.join("\n");
  });
}

function isOf(run: Row): (row: Row) => boolean {
  return (row) => row["transaction_id"] === run["transaction_id"];
}

async function withClient<Result>(url: string, work: (all: (sql: string) => Promise<Row[]>) => Promise<Result>) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(async (sql) => (await client.query<Row>(sql)).rows);
  } finally {
    await client.end();
  }
}
