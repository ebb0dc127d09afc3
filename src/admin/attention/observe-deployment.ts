import type { ActivityLine } from "../../ledger/read/sum-activity.ts";
import type { BudgetRejections } from "../../ledger/read/budget-rejections.ts";
import type { UnknownCount } from "../../ledger/read/unknown-charges.ts";
import type { SlowSource } from "../../health/ports.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { HOUR_MS } from "../../terms/time/durations.ts";
import { findRejections } from "../budget-wire.ts";
import type { VerbNeeds } from "../needs.ts";
import type { BudgetUse, ServiceState } from "../ports.ts";
import { findSlowSources } from "./slow-sources.ts";

/** The state of a deployment at one time. */
export interface DeploymentObservation {
  readonly wallAt: number;
  /** `null` in a terminal, where the state of the service is unknown. */
  readonly service: ServiceState | null;
  /** `null` if it could not be read; see `problems`. */
  readonly ofStore: StoreObservation | null;
  readonly ofLedger: LedgerObservation | null;
  /** Why store or ledger could not be read, as sentences. */
  readonly problems: readonly string[];
  /** Why there is no store or ledger, as sentences: no service has created one yet, or the folder is wrong. */
  readonly missing: readonly string[];
}

export interface StoreObservation {
  readonly budgets: readonly BudgetUse[];
  /** Failed logins of the last 15 minutes. */
  readonly failedLogins: number;
}

export interface LedgerObservation {
  readonly unknown: UnknownCount;
  /** The rejections of the store's budgets; see `findRejections`. */
  readonly rejections: readonly BudgetRejections[];
  /** Calls of the last hour, by credential. */
  readonly activity: readonly ActivityLine[];
  readonly slow: { readonly sources: readonly SlowSource[]; readonly readAt: number };
}

export type ObservationNeeds = Pick<VerbNeeds, "store" | "ledger" | "serviceState"> & { readonly clock: Clock };

export const LOGINS_MS = 15 * 60_000;
const ACTIVITY_MS = HOUR_MS;
/** Enough calls to detect a refused credential. */
const CALLS_PER_SOURCE = 200;

/** What compares hours changes slowly. */
const SLOW_MS = 5 * 60_000;

/**
 * Reads everything that may need attention. A part that cannot be read becomes a problem, and does not hide the others.
 * @param previous an earlier observation, of which slow figures are used again for some minutes
 */
export async function observeDeployment(
  { clock, store, ledger, serviceState }: ObservationNeeds,
  previous?: DeploymentObservation,
): Promise<DeploymentObservation> {
  const wallAt = clock.wall();
  const problems: string[] = [];
  const missing: string[] = [];
  const orProblem = (error: unknown): null => {
    if (!(error instanceof OperatorError)) throw error;
    (error.code === "not_found" ? missing : problems).push(error.message);
    return null;
  };
  const inStore = async (): Promise<StoreObservation> => {
    const open = await store();
    const logins = await open.actsBetween(["login failed"], wallAt - LOGINS_MS, wallAt + 1);
    const failedLogins = logins.reduce((sum, { detail }) => sum + Number(detail["count"] ?? 1), 0);
    return { budgets: await open.budgets(), failedLogins };
  };
  const inLedger = async (seen: Promise<StoreObservation | null>): Promise<LedgerObservation> => {
    const open = await ledger();
    const hour = { by: "credential", from: wallAt - ACTIVITY_MS, to: wallAt + 1, newest: CALLS_PER_SOURCE } as const;
    const [unknown, activity] = [await open.countUnknown(), await open.activity(hour)];
    const before = previous?.ofLedger?.slow;
    const isCurrent = before !== undefined && Math.abs(wallAt - before.readAt) < SLOW_MS;
    const slow = isCurrent ? before : { sources: await findSlowSources(open, wallAt), readAt: wallAt };
    return { unknown, activity, slow, rejections: await findRejections(open, (await seen)?.budgets ?? []) };
  };
  const seen = inStore().catch(orProblem);
  const [ofStore, ofLedger] = await Promise.all([seen, inLedger(seen).catch(orProblem)]);
  return { wallAt, service: serviceState(), ofStore, ofLedger, problems, missing };
}
