/** A running service, as verbs ask it. */
import type { JsonObject } from "../../terms/json.ts";

/** With what a client makes a run. */
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

/** What only a running service knows. Its counts are of this process, not of the deployment. */
export interface ServiceState {
  /** Why no run is accepted; empty if runs are. */
  readonly notReady: readonly string[];
  readonly openBreakers: readonly BreakerHealth[];
  /** Requests of the last five minutes that were answered without a run because of the service, by the kind of fault. */
  readonly refusedLately: Readonly<Record<string, number>>;
  readonly unreadableDataKeys: number;
  readonly ledger: LedgerHealth;
}

/** A source that is not called for now: for an organization, or with one of its credentials. */
export interface BreakerHealth {
  readonly source: string;
  readonly organizationId: string;
  readonly openForMs: number;
}

export interface LedgerHealth {
  /** Why it records no further run, or `null`. */
  readonly unavailable: string | null;
  /** Runs that have ended and are not in the journal yet, and the age of the oldest. */
  readonly pendingRuns: number;
  readonly lagMs: number;
  readonly journalBytes: number;
  readonly journalBytesMax: number;
  /** Until it is full at the rate of the last day; `null` while that is not known, or if it does not grow. */
  readonly journalDaysLeft: number | null;
  /** How often since the start it was found damaged. */
  readonly damageMet: number;
  /** Runs that have not reached the shared database, and how often in a row that has refused them. */
  readonly undrainedRuns: number;
  readonly drainFailures: number;
}
