import { OperatorError } from "../../terms/operator-error.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { isDamage, throwDamaged } from "../journal/journal-damage.ts";
import { JournalTables } from "../journal/journal-tables.ts";
import type { LedgerTables } from "../ports.ts";
import { catchUp } from "../journal/replay-outcomes.ts";
import { pruneJournal } from "./prune-journal.ts";
import { createLedgerReader, type LedgerAnswers } from "./ledger-reader.ts";
import { verifyJournal } from "./verify-journal.ts";

export interface JournalReader extends LedgerAnswers {
  /** Number of runs that the shared database lacks: the service may be dead, or the database was unavailable. */
  undrained(shared: Pick<LedgerTables, "query">): Promise<number>;
  /** Once the journal has been recovered, it has every run that started after this time and sent a request. */
  completeSince(): number;
  /** Runs that started before this time may have been deleted: drained runs, and runs older than the retention. */
  deletedBefore(): number;
  /** Time of the last unreadable record. Earlier requests may be missing. */
  unreadableAt(): number;
  close(): void;
}

/**
 * @throws OperatorError `not_found` when there is no journal in the directory; when it is of another version, or too
 * damaged to read anything
 */
export function openJournalReader(options: { readonly dir: string }): JournalReader {
  const tables = openTables(options.dir);
  const reader = createLedgerReader(tables);
  const { dir } = options;
  // Readers see every run with a sent answer: outcomes that are only in the log are first added to the journal.
  const afterLog =
    <Values extends readonly unknown[], Answer>(ask: (...asked: Values) => Promise<Answer>) =>
    async (...asked: Values): Promise<Answer> => {
      catchUp(dir);
      return ask(...asked);
    };
  const questions = Object.entries(reader) as [string, (...asked: unknown[]) => Promise<unknown>][];
  const answers = Object.fromEntries(questions.map(([name, ask]) => [name, afterLog(ask)])) as unknown as LedgerAnswers;
  const latest = (sql: string): number =>
    tables.rows<{ readonly at: number | null }>(sql)[0]!.at ?? Number.NEGATIVE_INFINITY;
  return {
    ...answers,
    makeTotals: reader.makeTotals,
    // Runs that are added during an export may be too late for it, so only its first page waits for the log.
    exportPage: (filter, format, from) => (from === null ? answers : reader).exportPage(filter, format, from),
    reconcile: afterLog(async (decision) => {
      // A run is sent once and not updated: a charge settled here afterwards would be known on this machine only.
      const outbox = await tables.query("SELECT run FROM drained");
      if (outbox.length > 0) {
        throw new OperatorError("refused", "This ledger goes to a shared database: settle there, with DATABASE_URL.");
      }
      return reader.reconcile(decision);
    }),
    prune: (startedBefore, { unknownToo = false, onProgress } = {}) =>
      pruneJournal(dir, { startedBefore, unknownToo, onProgress }),
    verify: afterLog((onProgress?: OnProgress) => verifyJournal(dir, onProgress).catch(throwDamaged)),
    undrained: afterLog(async (shared: Pick<LedgerTables, "query">) => {
      const [has] = await shared.query<{ readonly run: number }>("SELECT run FROM ledger_outboxes WHERE journal = ?", [
        tables.id(),
      ]);
      const [row] = await tables.query<{ readonly runs: number }>(
        "SELECT count(*) AS runs FROM runs WHERE id > coalesce(?, (SELECT run FROM drained), 0)",
        [has?.run ?? null],
      );
      return row!.runs;
    }),
    completeSince: () => Math.max(latest(DELETED), latest(UNREADABLE)),
    deletedBefore: () => latest(DELETED),
    unreadableAt: () => latest(UNREADABLE),
    close: () => tables.close(),
  };
}

const DELETED = "SELECT max(started_before) AS at FROM forgotten";
const UNREADABLE = `SELECT max(at) AS at FROM (
  SELECT noted_at AS at FROM lost_outcomes UNION ALL SELECT noted_at FROM unread_intents)`;

function openTables(dir: string): JournalTables {
  try {
    return new JournalTables(dir);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const says = `The journal in ${dir} is damaged, and nothing of it can be read: ${(error as Error).message}.`;
    throw new OperatorError("unavailable", says, { cause: error });
  }
}
