import { OperatorError } from "../../terms/operator-error.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { Drainer, type DrainerState, untilDrained } from "./drainer.ts";
import { hasJournal } from "../journal/journal-file.ts";
import { createLedger } from "../ledger.ts";
import type { RunningLedger } from "../journal/running-ledger.ts";
import type { LedgerSink } from "../ports.ts";

export interface DrainOptions {
  readonly dir: string;
  readonly sink: LedgerSink;
  readonly clock: Clock;
  readonly note: (sentence: string) => void;
  readonly onProgress?: OnProgress;
  /** Leaves the journal unchanged as a ledger of its own: does not record runs as sent, and deletes none. */
  readonly keep?: boolean;
}

export interface Drained {
  readonly sent: number;
  /** Number of runs that were not sent because they are damaged; absent if there are none. */
  readonly damaged?: number;
}

/** The number of consecutive failures after which the database is not tried again. */
const FAILURES_MAX = 4;
const WRITE_MS_MAX = 10_000;
const UNTOUCHED: Pick<RunningLedger, "recordDrained" | "onWritten"> = { recordDrained: () => {}, onWritten: () => {} };

/**
 * Sends the journal of a service that will not start again to the shared ledger. First it records runs that were in
 * progress when the service died as `unknown`, then it sends every run that the database lacks. It can be interrupted
 * and repeated.
 * @throws OperatorError when a service uses the journal, or the database does not accept all runs
 */
export async function drainJournal({
  dir,
  sink,
  clock,
  note,
  onProgress,
  keep = false,
}: DrainOptions): Promise<Drained> {
  if (!hasJournal(dir)) throw new OperatorError("not_found", `There is no ledger in ${dir}.`);
  const quiet = (): void => {};
  const error = (fields: object, message: string): void => {
    const { transaction_id: run } = fields as { readonly transaction_id?: string | null };
    note(run === undefined || run === null ? message : `${message} (${run})`);
  };
  const log = { info: quiet, warn: quiet, error };
  const ledger = openLocked(() => createLedger({ dir, clock, log }));
  try {
    await ledger.ready;
    const outbox = keep ? UNTOUCHED : ledger;
    const drainer = new Drainer({ dir, ledger: outbox, sink, clock, log, limits: { writeTimeoutMs: WRITE_MS_MAX } });
    try {
      const hasGivenUp = ({ sent, pendingRuns, failures }: DrainerState): boolean => {
        onProgress?.("runs sent", sent, sent + pendingRuns);
        return failures >= FAILURES_MAX;
      };
      const remaining = await untilDrained(drainer, clock, hasGivenUp, true);
      if (remaining > 0)
        throw new OperatorError(
          "unavailable",
          `${remaining} ${remaining === 1 ? "run" : "runs"} did not reach the shared database.`,
        );
      if (!drainer.hasCompared) throw new OperatorError("unavailable", "The shared database does not answer.");
      const { sent, damaged } = drainer.state();
      return { sent, ...(damaged > 0 && { damaged }) };
    } finally {
      await drainer.close();
    }
  } finally {
    await ledger.close();
  }
}

function openLocked<Opened>(open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    throw new OperatorError("refused", error instanceof Error ? error.message : String(error), { cause: error });
  }
}
