import { OperatorError } from "../terms/operator-error.ts";
import { runColumnsOf } from "./ledger-columns.ts";
import { hasJournal, JournalTables } from "./journal-tables.ts";
import type { LedgerSink, RunRow } from "./ports.ts";
import { withAllRows } from "./whole-runs.ts";

const RUNS_A_BATCH = 200;

/**
 * Sends to the shared ledger once more what has gone out and is still in a journal: a database that was restored from an
 * older copy has lost it. What is there already stays as it is. The service may run meanwhile.
 * @throws OperatorError when there is no journal, or the database does not take all
 */
export async function drainAgain(
  dir: string,
  sink: LedgerSink,
  startedFrom: number,
): Promise<{ readonly sent: number }> {
  if (!hasJournal(dir)) throw new OperatorError("not_found", `There is no ledger in ${dir}.`);
  const tables = new JournalTables(dir);
  let sent = 0;
  try {
    for (let after = 0; ;) {
      const found = tables.rows<RunRow & { readonly run: number }>(
        `SELECT r.run, ${runColumnsOf("r")} FROM ledger_runs AS r
         WHERE r.run > ? AND r.run <= (SELECT run FROM drained) ORDER BY r.run LIMIT ${RUNS_A_BATCH}`,
        [after],
      );
      const last = found.at(-1);
      if (last === undefined) return { sent };
      after = last.run;
      const runs = found.filter((run) => run.started_at >= startedFrom).map(({ run: _number, ...run }) => run);
      if (runs.length > 0) await sink.write(await withAllRows(tables.query, runs)).catch(notTaken);
      sent += runs.length;
    }
  } finally {
    tables.close();
  }
}

function notTaken(error: unknown): never {
  throw new OperatorError("unavailable", "The shared database did not take all: do it again when it is back.", {
    cause: error,
  });
}
