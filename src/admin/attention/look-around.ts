import type { ActivityLine } from "../../ledger/read/sum-activity.ts";
import type { BudgetRejections } from "../../ledger/read/budget-rejections.ts";
import type { UnknownCount } from "../../ledger/read/count-unknown.ts";
import type { Clock } from "../../terms/clock.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { rejectionsOf } from "../budget-rejections.ts";
import type { VerbNeeds } from "../needs.ts";
import type { BudgetUse, ServiceState } from "../ports.ts";

/** What was seen of a deployment at one moment. */
export interface Seen {
  readonly wallAt: number;
  /** `null`: seen from a terminal, where nobody knows it. */
  readonly service: ServiceState | null;
  /** `null`: see `problems`. */
  readonly ofStore: SeenInStore | null;
  readonly ofLedger: SeenInLedger | null;
  /** Why store or ledger could not be read, as sentences. */
  readonly problems: readonly string[];
  /** Why there is no store or ledger to look at, as sentences: no service has made one yet, or it is the wrong place. */
  readonly missing: readonly string[];
}

export interface SeenInStore {
  readonly budgets: readonly BudgetUse[];
  /** Of the last 15 minutes. */
  readonly failedLogins: number;
}

export interface SeenInLedger {
  readonly unknown: UnknownCount;
  /** What budgets of the store have rejected: see `rejectionsOf`. */
  readonly rejections: readonly BudgetRejections[];
  /** Of the last hour, by credential. */
  readonly activity: readonly ActivityLine[];
}

export type NeededToLook = Pick<VerbNeeds, "store" | "ledger" | "serviceState"> & { readonly clock: Clock };

export const LOGINS_MS = 15 * 60_000;
const ACTIVITY_MS = 60 * 60_000;
/** Enough to tell whether a credential is refused. */
const CALLS_PER_SOURCE = 200;

/** Looks at everything that may need a person. What cannot be read is a problem to be told, and hides nothing else. */
export async function lookAround({ clock, store, ledger, serviceState }: NeededToLook): Promise<Seen> {
  const wallAt = clock.wall();
  const problems: string[] = [];
  const missing: string[] = [];
  const orProblem = (error: unknown): null => {
    if (!(error instanceof OperatorError)) throw error;
    (error.code === "not_found" ? missing : problems).push(error.message);
    return null;
  };
  const inStore = async (): Promise<SeenInStore> => {
    const open = await store();
    const logins = await open.actsBetween(["login failed"], wallAt - LOGINS_MS, wallAt + 1);
    const failedLogins = logins.reduce((sum, { detail }) => sum + Number(detail["count"] ?? 1), 0);
    return { budgets: await open.budgets(), failedLogins };
  };
  const inLedger = async (seen: Promise<SeenInStore | null>): Promise<SeenInLedger> => {
    const open = await ledger();
    const hour = { by: "credential", from: wallAt - ACTIVITY_MS, to: wallAt + 1, newest: CALLS_PER_SOURCE } as const;
    const [unknown, activity] = [await open.countUnknown(), await open.activity(hour)];
    return { unknown, activity, rejections: await rejectionsOf(open, (await seen)?.budgets ?? []) };
  };
  const seen = inStore().catch(orProblem);
  const [ofStore, ofLedger] = await Promise.all([seen, inLedger(seen).catch(orProblem)]);
  return { wallAt, service: serviceState(), ofStore, ofLedger, problems, missing };
}
