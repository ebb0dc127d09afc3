/** A running service, as verbs see it. */
import type { JsonObject } from "../../terms/json/json.ts";

/** The token and workflow of a client's run. */
export interface RunAccess {
  readonly accessToken: string;
  readonly tokenId: string;
  readonly workflow: string;
}

/** A service that accepts runs, as a client sees it. */
export interface RunService {
  readonly url: string;
  /** `POST /data`. @throws OperatorError with the service's message if it refuses */
  data(access: RunAccess, body: JsonObject): Promise<JsonObject>;
  /** `POST /func`. @throws OperatorError with the service's message if it refuses */
  func(access: RunAccess, body: JsonObject): Promise<JsonObject>;
}

/** The state that only a running service knows. Its counts are of this process, not of the deployment. */
export interface ServiceState {
  /** Why runs are refused; empty if they are accepted. */
  readonly notReady: readonly string[];
  readonly openBreakers: readonly BreakerHealth[];
  /** Requests of the last five minutes that failed before a run because of the service, by fault kind. */
  readonly refusedLately: Readonly<Record<string, number>>;
  readonly unreadableDataKeys: number;
  readonly sourceDrift: readonly DriftedSource[];
  readonly ledger: LedgerHealth;
}

/** A source whose calls or replies differ from those of the 28 days before: the number of paths, or 1, by kind. */
export interface DriftedSource {
  readonly source: string;
  readonly kinds: Readonly<Record<string, number>>;
  /** The first paths. */
  readonly paths: readonly string[];
}

/** A source that is temporarily not called: for an organization, or with one of its credentials. */
export interface BreakerHealth {
  readonly source: string;
  readonly organizationId: string;
  readonly openForMs: number;
}

export interface LedgerHealth {
  /** Why the ledger accepts no more runs, or `null`. */
  readonly unavailable: string | null;
  /** Runs that have ended and are not yet in the journal, and the age of the oldest. */
  readonly pendingRuns: number;
  readonly lagMs: number;
  readonly journalBytes: number;
  readonly journalBytesMax: number;
  /** Days until the journal is full at the rate of the last day; `null` if unknown, or if it does not grow. */
  readonly journalDaysLeft: number | null;
  /** How often damage was found since the start. */
  readonly damageMet: number;
  /** Runs that have not reached the shared database, and its consecutive failures to accept them. */
  readonly undrainedRuns: number;
  readonly drainFailures: number;
}
