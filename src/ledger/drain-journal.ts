import { OperatorError } from "../terms/operator-error.ts";
import type { Clock } from "../terms/clock.ts";
import { createDrainer } from "./drain.ts";
import { hasJournal } from "./journal-tables.ts";
import { createLedger } from "./ledger.ts";
import type { LedgerSink } from "./ports.ts";
import { untilDrained } from "./until-drained.ts";

export interface DrainOptions {
  readonly dir: string;
  readonly sink: LedgerSink;
  readonly clock: Clock;
  readonly note: (sentence: string) => void;
}

/** A database that has refused so often in a row is not waited for. */
const FAILURES_MAX = 4;
const WRITE_MS_MAX = 10_000;

/**
 * Carries the journal of a service that will not start again to the shared ledger: what was under way when it died as
 * `unknown`, then every run that has not gone out. It may be broken off and done again.
 * @throws OperatorError when a service keeps its ledger there, or the database does not take all
 */
export async function drainJournal({ dir, sink, clock, note }: DrainOptions): Promise<{ readonly sent: number }> {
  if (!hasJournal(dir)) throw new OperatorError("not_found", `There is no ledger in ${dir}.`);
  const quiet = (): void => {};
  const log = { info: quiet, warn: quiet, error: (_: object, message: string) => note(message) };
  const ledger = openLocked(() => createLedger({ dir, clock, log }));
  try {
    await ledger.ready;
    const drainer = createDrainer({ dir, ledger, sink, clock, log, limits: { writeTimeoutMs: WRITE_MS_MAX } });
    try {
      const left = await untilDrained(drainer, clock, ({ failures }) => failures >= FAILURES_MAX);
      if (left > 0)
        throw new OperatorError("unavailable", `The shared database did not take all: ${left} runs are left.`);
      return { sent: drainer.state().sent };
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
