import type { RunReportRow } from "../ledger/ports.ts";
import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import { type SettledCharge, type Settlement, wouldSettle } from "../ledger/read/reconcile-charge.ts";
import { revisionOf, settledSince } from "../ledger/read/settled-since.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { Charged } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { amountFromColumn } from "../terms/money/money.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { Price } from "../terms/money/price.ts";
import type { VerbNeeds } from "./needs.ts";
import type { Act, AuditEntry, RequestCost, ResettledRequest } from "./ports.ts";

/** The act under which every settlement is recorded, whatever verb made it. */
export const SETTLEMENT = "ledger reconcile";

/** The two entries of a settlement in the audit trail. The second is written when the budgets have counted it. */
const ABOUT_TO_SETTLE = "about to settle";
const SETTLED = "settled";

export interface ChargeDecision {
  /** The number of the call in its run. */
  readonly call: number;
  /** The request of the call. If left out, the requests of unknown charge, or else the only request. */
  readonly attempt?: number;
  readonly charged: Charged;
  readonly price?: Price;
  readonly note: string;
  /** Further fields of the entries in the audit trail. */
  readonly detail: JsonObject;
}

export interface SettlementNeeds {
  readonly act: Act;
  readonly clock: Clock;
  readonly reader: Pick<LedgerAnswers, "show" | "reconcile">;
  readonly store: VerbNeeds["store"];
}

/**
 * Settles a charge in the ledger and in the budgets, between two entries of the audit trail. After an interruption,
 * `countInBudgets` completes it.
 * @throws OperatorError if nothing would be settled, or the budgets could not be updated
 */
export async function settleCharge(
  run: RunReportRow,
  { call, attempt, charged, price, note, detail: more }: ChargeDecision,
  { act, clock, reader, store }: SettlementNeeds,
): Promise<{ readonly settled: SettledCharge; readonly budgets: readonly string[] }> {
  const decision = {
    transactionId: run.run.transaction_id,
    ordinal: call,
    ...(attempt !== undefined && { attempt }),
    charged,
    ...(price !== undefined && { price }),
    decidedBy: act.who,
    decidedAt: act.wallAt,
    note,
  };
  if (!wouldSettle(run, decision)) throw new OperatorError("refused", whyNot(run, call, attempt));
  const detail = { call, attempt: attempt ?? null, charged, ...more, note };
  const open = await store();
  const settling = { ...act, what: SETTLEMENT };
  await open.recordAct(settling, { ...subjectOf(run), detail: { ...detail, state: ABOUT_TO_SETTLE } });
  const settled = await reader.reconcile(decision);
  if (settled === null) throw new OperatorError("refused", whyNot(run, call, attempt));
  // Another command may have settled requests of the same call; the first to count includes them all.
  const countNow = async () =>
    countInBudgets((await reader.show(run.run.transaction_id)) ?? run, call, detail, { act, clock, store });
  const budgets = await countNow().catch((cause: unknown) => {
    throw new OperatorError("unavailable", onlyOnLedger(run, call, attempt), { cause });
  });
  return { settled, budgets };
}

/** Updates the budgets by the settlements of a call that they have not counted, and records that. */
async function countInBudgets(
  now: RunReportRow,
  call: number,
  detail: JsonObject,
  { act, clock, store }: Omit<SettlementNeeds, "reader">,
): Promise<readonly string[]> {
  return (await store()).settleInBudgets(
    { ...act, what: SETTLEMENT, wallAt: clock.wall() },
    {
      ...subjectOf(now),
      detail: { ...detail, state: SETTLED, revision: revisionOf(now, call) },
      requests: (recorded) => resettled(now, call, revisionRecorded(recorded, call)),
    },
  );
}

/**
 * Updates the budgets by interrupted settlements.
 * @param recorded entries of settlements, newest first
 * @returns the number of calls that were counted
 */
export async function finishSettlements(recorded: readonly AuditEntry[], needs: SettlementNeeds): Promise<number> {
  const newest = new Map<string, AuditEntry>();
  for (const entry of recorded) {
    const key = `${entry.subjectId} ${entry.detail["call"] as number}`;
    if (!newest.has(key)) newest.set(key, entry);
  }
  let recovered = 0;
  for (const { subjectId, detail } of newest.values()) {
    if (detail["state"] !== ABOUT_TO_SETTLE) continue;
    const [call, run] = [detail["call"] as number, await needs.reader.show(subjectId)];
    if (run === null) continue;
    const ofRun = await (await needs.store()).auditEntries({ what: SETTLEMENT, subjectId });
    // Nothing was settled, or another command has counted it.
    if (revisionRecorded(ofRun, call) >= revisionOf(run, call)) continue;
    const { state: _, ...about } = detail;
    await countInBudgets(run, call, about, needs);
    recovered += 1;
  }
  return recovered;
}

function subjectOf({ run }: RunReportRow) {
  return {
    organizationId: run.organization_id === "" ? null : run.organization_id,
    subjectId: run.transaction_id,
  };
}

/** The last revision of a call's settlements that the budgets have counted. */
function revisionRecorded(recorded: readonly AuditEntry[], call: number): number {
  const counted = recorded
    .filter(({ detail }) => detail["call"] === call && detail["state"] === SETTLED)
    .map(({ detail }) => detail["revision"] as number);
  return Math.max(0, ...counted);
}

/** The error message. Repeating the command is safe: a settlement is stored and counted once. */
function onlyOnLedger({ attempts }: RunReportRow, call: number, attempt: number | undefined): string {
  const requests = attempts.filter(({ ordinal }) => ordinal === call);
  const choose = attempt === undefined && requests.length > 1 ? `, with --attempt ${requests[0]!.number}` : "";
  return `The charge is settled in the ledger, but the store could not be updated, so budgets do not count it yet. Give the same command again${choose}: it then counts once.`;
}

/**
 * The requests of a call that were settled after a revision. Requests of simulated runs are left out, because nothing
 * was reserved for them.
 */
function resettled(now: RunReportRow, ordinal: number, revision: number): ResettledRequest[] {
  const { organization_id: organizationId, workflow_id: workflowId, simulated } = now.run;
  const call = now.calls.find((one) => one.ordinal === ordinal);
  if (simulated === 1 || call === undefined) return [];
  const spender = { organizationId, workflowId, source: call.source, credentialId: call.credential_id };
  return settledSince(now, ordinal, revision).map(({ sentAt, before, after }) => ({
    spender,
    sentWallAt: sentAt,
    before: costOf(before),
    after: costOf(after),
  }));
}

function costOf({ charged, price, currency }: Settlement): RequestCost {
  const amount = amountFromColumn(price);
  return { charged, price: amount === null || currency === null ? null : { amount, currency } };
}

function whyNot({ calls, attempts }: RunReportRow, call: number, attempt: number | undefined): string {
  if (!calls.some(({ ordinal }) => ordinal === call)) return `The run has no call ${call}.`;
  const { length } = attempts.filter(({ ordinal }) => ordinal === call);
  if (length === 0) return `Call ${call} sent no request, so there is no charge to settle.`;
  const made = `Call ${call} made ${length} ${length === 1 ? "request" : "requests"}`;
  if (attempt !== undefined) return `${made}: there is no request ${attempt}.`;
  return `${made} and none of them is unknown. Choose one with --attempt.`;
}
