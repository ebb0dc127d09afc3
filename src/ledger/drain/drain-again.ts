import { OperatorError } from "../../terms/operator-error.ts";
import { batchOf } from "./batch-builder.ts";
import type { Drained } from "./drain-journal.ts";
import { sayDamaged } from "../journal/journal-damage.ts";
import { hasJournal, JournalTables } from "../journal/journal-tables.ts";
import type { LedgerSink, RunRow } from "../ports.ts";
import { readRuns } from "../read/read-runs.ts";

const RUNS_A_BATCH = 200;

type Found = Pick<RunRow, "transaction_id" | "started_at"> & { readonly run: number };

/**
 * Sends to the shared ledger again the runs that were sent before and are still in a journal, for a database that has
 * lost them because it was restored from an older copy. Runs that are there stay unchanged. The service may run
 * meanwhile.
 * @throws OperatorError when there is no journal, or the database does not accept all runs
 */
export async function drainAgain(dir: string, sink: LedgerSink, startedFrom: number): Promise<Drained> {
  if (!hasJournal(dir)) throw new OperatorError("not_found", `There is no ledger in ${dir}.`);
  const tables = new JournalTables(dir);
  let sent = 0;
  let damaged = 0;
  try {
    const journal = tables.id();
    for (let after = 0; ;) {
      const found = tables.rows<Found>(
        `SELECT r.run, r.transaction_id, r.started_at FROM ledger_runs AS r
         WHERE r.run > ? AND r.run <= (SELECT run FROM drained) ORDER BY r.run LIMIT ${RUNS_A_BATCH}`,
        [after],
      );
      const last = found.at(-1);
      if (last === undefined) return { sent, ...(damaged > 0 && { damaged }) };
      after = last.run;
      const wanted = found.filter((run) => run.started_at >= startedFrom).map((run) => run.transaction_id);
      const runs = await readRuns(tables.query, wanted);
      const sound = runs.flatMap(({ row, damaged: isDamaged }) => (isDamaged || row === null ? [] : [row]));
      if (sound.length > 0) await sink.write(batchOf(sound), { journal, after: null, upTo: after }).catch(notTaken);
      sent += sound.length;
      damaged += wanted.length - sound.length;
    }
  } catch (error) {
    return sayDamaged(error);
  } finally {
    tables.close();
  }
}

function notTaken(error: unknown): never {
  throw new OperatorError("unavailable", "Not all runs reached the shared database. Run this again when it answers.", {
    cause: error,
  });
}
