import { NO_RECORD } from "../run/not-recorded.ts";
import type { CallReport, CredentialRule, Ledger, RunInputs, RunIntent, RunObserver, RunRecord } from "../run/ports.ts";

/** One run of a mock as its caller's tests read it: identifiers, names and outcomes, never values that were sent. */
export interface RecentRun {
  readonly transaction_id: string;
  readonly endpoint: "/data" | "/func";
  readonly context: string;
  readonly started_at: string;
  /** The names of the inputs. */
  readonly inputs: readonly string[];
  /** The identifiers in `config.sources`. */
  readonly sources: readonly string[];
  /** `null` for `/data`, and if the request named none. */
  readonly function: string | null;
  /** Whether the function succeeded; `null` for `/data`, and if no function ran. */
  function_success: boolean | null;
  /** Every source call of the request or its function. Empty until the run has ended. */
  calls: readonly RecentCall[];
  /** `null` until the run has ended. */
  response_time_ms: number | null;
}

export interface RecentCall {
  readonly source: string;
  readonly success: boolean;
  readonly match: boolean;
  /** The kind of the failure; `null` on success. */
  readonly failure: string | null;
  /** `inline`: sent with the request; `named`: by `cred_id`. */
  readonly credential: CredentialRule;
}

/** Number of runs that are kept. The oldest are dropped. */
const RUNS_MAX = 1_000;
/** Names that are kept for each run. */
const NAMES_MAX = 100;
const NAME_CHARS_MAX = 200;

/** The ledger of a mock: the latest runs, in memory, with the names in their requests. */
export class RecentRuns implements Ledger, RunObserver {
  readonly #runs = new Map<string, RecentRun>();

  /** Oldest first. */
  list(): readonly RecentRun[] {
    return [...this.#runs.values()];
  }

  /** Returns the number of runs that were forgotten. */
  forget(): number {
    const count = this.#runs.size;
    this.#runs.clear();
    return count;
  }

  runStarted(run: RunIntent, asked: RunInputs): void {
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
      // Requests and orders need no record, because nothing is sent to a vendor.
      ...NO_RECORD,
      close: async ({ transactionId, calls, functionFault, tookMs }) => {
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

function toAskedCall({ source, success, match, fault, credentialRule }: CallReport): RecentCall {
  return { source, success, match, failure: fault?.row.kind ?? null, credential: credentialRule };
}

function namesOf(given: object): string[] {
  return Object.keys(given)
    .slice(0, NAMES_MAX)
    .map((name) => name.slice(0, NAME_CHARS_MAX));
}
