import { NO_RECORD } from "../run/not-recorded.ts";
import type { CallReport, CredentialRule, Ledger, RunAsk, RunIntent, RunObserver, RunRecord } from "../run/ports.ts";

/** One run of a mock as its caller's tests read it: identifiers, names and outcomes, never a value that was sent. */
export interface AskedRun {
  readonly transaction_id: string;
  readonly endpoint: "/data" | "/func";
  readonly context: string;
  readonly started_at: string;
  /** The names of the inputs. */
  readonly inputs: readonly string[];
  /** The identifiers in `config.sources`. */
  readonly sources: readonly string[];
  /** `null` for `/data`, and if none was named. */
  readonly function: string | null;
  /** Whether the function succeeded; `null` for `/data`, and if none ran. */
  function_success: boolean | null;
  /** Every source that was called, by the request or by its function. Empty until the run has ended. */
  calls: readonly AskedCall[];
  /** `null` until it has ended. */
  response_time_ms: number | null;
}

export interface AskedCall {
  readonly source: string;
  readonly success: boolean;
  readonly match: boolean;
  /** The kind of its failure; `null` if it has not failed. */
  readonly failure: string | null;
  /** `inline`: sent with the request; `named`: by `cred_id`. */
  readonly credential: CredentialRule;
}

/** Runs that are kept; the oldest makes room. */
const RUNS_MAX = 1_000;
/** Of one run. */
const NAMES_MAX = 100;
const NAME_CHARS_MAX = 200;

/** The ledger of a mock: the last runs, in memory, with the names of what they were asked. */
export class AskedRuns implements Ledger, RunObserver {
  readonly #runs = new Map<string, AskedRun>();

  /** Oldest first. */
  list(): readonly AskedRun[] {
    return [...this.#runs.values()];
  }

  /** Returns how many there were. */
  forget(): number {
    const count = this.#runs.size;
    this.#runs.clear();
    return count;
  }

  runStarted(run: RunIntent, asked: RunAsk): void {
    if (this.#runs.size >= RUNS_MAX) this.#runs.delete(this.#runs.keys().next().value!);
    this.#runs.set(run.transactionId, {
      transaction_id: run.transactionId,
      endpoint: run.kind === "data" ? "/data" : "/func",
      context: run.context,
      started_at: new Date(run.startedWallAt).toISOString(),
      inputs: namesOf(asked.inputs),
      sources: namesOf(asked.sources),
      function: run.functionId,
      function_success: null,
      calls: [],
      response_time_ms: null,
    });
  }

  open(): RunRecord {
    return {
      // Nothing is sent to a vendor, and nothing ordered from one.
      ...NO_RECORD,
      close: ({ transactionId, calls, functionFault, tookMs }) => {
        const run = this.#runs.get(transactionId);
        if (run === undefined) return;
        run.calls = calls.map(toAskedCall);
        run.function_success = functionFault === undefined ? null : functionFault === null;
        run.response_time_ms = tookMs;
      },
    };
  }

  runEnded(): void {}
}

function toAskedCall({ source, success, match, fault, credentialRule }: CallReport): AskedCall {
  return { source, success, match, failure: fault?.row.kind ?? null, credential: credentialRule };
}

function namesOf(given: object): string[] {
  return Object.keys(given)
    .slice(0, NAMES_MAX)
    .map((name) => name.slice(0, NAME_CHARS_MAX));
}
