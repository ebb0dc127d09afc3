import { OperatorError } from "../../terms/operator-error.ts";
import type { Clock } from "../../terms/clock.ts";
import { createDrainer } from "./drain.ts";
import { hasJournal } from "../journal/journal-tables.ts";
import { createLedger } from "../ledger.ts";
import type { LedgerSink } from "../ports.ts";
import { untilDrained } from "./until-drained.ts";

export interface DrainOptions {
  readonly dir: string;
  readonly sink: LedgerSink;
  readonly clock: Clock;
  readonly note: (sentence: string) => void;
}

export interface Drained {
  readonly sent: number;
  /** Runs that were not sent because they are damaged; left out where there is none. */
  readonly damaged?: number;
}

/** A database that has refused so often in a row is not waited for. */
const FAILURES_MAX = 4;
const WRITE_MS_MAX = 10_000;

/**
 * Carries the journal of a service that will not start again to the shared ledger: what was under way when it died as
 * `unknown`, then every run that has not gone out. It may be broken off and done again.
 * @throws OperatorError when a service keeps its ledger there, or the database does not take all
 */
export async function drainJournal({ dir, sink, clock, note }: DrainOptions): Promise<Drained> {
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
    const drainer = createDrainer({ dir, ledger, sink, clock, log, limits: { writeTimeoutMs: WRITE_MS_MAX } });
    try {
      const left = await untilDrained(drainer, clock, ({ failures }) => failures >= FAILURES_MAX);
      if (left > 0)
        throw new OperatorError("unavailable", `The shared database did not take all: ${left} runs are left.`);
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
