import type { ShadowResult, ShadowStore } from "../admin/ports.ts";
import type { ShadowComparison, ShadowDrop, ShadowResults, ShadowVerdict } from "../run/ports.ts";
import type { Clock } from "../terms/time/clock.ts";
import { repeat } from "../terms/time/repeat.ts";
import { settledWithin } from "../terms/time/within.ts";

export type ShadowOutcome = "compared" | ShadowDrop | "not_stored";

/** Collects the results of shadow runs, and adds them to the store about once a second, outside of any request. */
export interface OpenShadowResults extends ShadowResults, AsyncDisposable {
  /** The sampled runs since the start, by what became of them. */
  outcomes(): ReadonlyMap<ShadowOutcome, number>;
}

const FLUSH_EVERY_MS = 1_000;
/** How long a stop waits for the store. */
const CLOSE_MS = 1_000;
/** The most counts that wait for the store. Further runs are not stored. */
const WAITING_MAX = 5_000;
/** The most ids that one flush adds to a count. */
const TRANSACTIONS_MAX = 100;

interface WaitingResult extends Omit<ShadowResult, "counts" | "transactionIds"> {
  readonly counts: Record<ShadowVerdict, number>;
  /** Newest first. */
  transactionIds: string[];
}

/** Results that cannot be stored are lost and counted: no run waits for them, and memory is bounded. */
export function openShadowResults(store: Pick<ShadowStore, "addShadowResults">, clock: Clock): OpenShadowResults {
  const outcomes = new Map<ShadowOutcome, number>(
    (["compared", "busy", "memory", "version", "stopping", "not_stored"] as const).map((outcome) => [outcome, 0]),
  );
  let waiting = new Map<string, WaitingResult>();
  let waitingRuns = 0;
  let flushing: Promise<void> = Promise.resolve();
  let isClosed = false;

  function count(outcome: ShadowOutcome, runs = 1): void {
    outcomes.set(outcome, outcomes.get(outcome)! + runs);
  }

  function add(comparison: ShadowComparison, field: string, verdict: ShadowVerdict): void {
    const { workflowId, functionId, version, transactionId } = comparison;
    const key = JSON.stringify([workflowId, functionId, version, field]);
    let result = waiting.get(key);
    if (result === undefined) {
      const counts = { same: 0, different: 0, missing: 0, added: 0, failed: 0, unrecorded: 0 };
      waiting.set(key, (result = { workflowId, functionId, version, field, counts, transactionIds: [] }));
    }
    result.counts[verdict] += 1;
    if (verdict !== "same")
      result.transactionIds = [transactionId, ...result.transactionIds].slice(0, TRANSACTIONS_MAX);
  }

  async function flush(): Promise<void> {
    if (waitingRuns === 0) return;
    const [results, runs] = [[...waiting.values()], waitingRuns];
    waiting = new Map();
    waitingRuns = 0;
    try {
      await store.addShadowResults(results, clock.wall());
      count("compared", runs);
    } catch {
      count("not_stored", runs);
    }
  }

  const stop = repeat(clock, { firstMs: FLUSH_EVERY_MS, everyMs: FLUSH_EVERY_MS }, () => (flushing = flush()));
  return {
    outcomes: () => outcomes,
    dropped: (why) => count(why),
    compared: (comparison) => {
      if (isClosed) return count("stopping");
      if (waiting.size + comparison.fields.size >= WAITING_MAX) return count("not_stored");
      add(comparison, "", comparison.whole);
      for (const [field, verdict] of comparison.fields) add(comparison, field, verdict);
      waitingRuns += 1;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      stop();
      await settledWithin(clock, CLOSE_MS, flushing.then(flush));
    },
  };
}
