import type { RunReportRow } from "../ledger/ports.ts";
import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import { type Settled, type Settlement, wouldSettle } from "../ledger/read/reconcile-charge.ts";
import { revisionOf, settledSince } from "../ledger/read/settled-since.ts";
import type { Clock } from "../terms/clock.ts";
import type { Charged } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";
import { amountFromColumn } from "../terms/money.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { Price } from "../terms/price.ts";
import type { VerbNeeds } from "./needs.ts";
import type { Act, AuditEntry, RequestCost, ResettledRequest } from "./ports.ts";

/** The act under which every settlement is recorded, whatever verb has made it. */
export const SETTLEMENT = "ledger reconcile";

/** The two entries of a settlement in the audit trail. With the second, the budgets have counted it. */
const ABOUT_TO_SETTLE = "about to settle";
const SETTLED = "settled";

export interface ChargeDecision {
  /** Number of the call in its run. */
  readonly call: number;
  /** Which request of the call; left out: those of unknown charge, or else the only one. */
  readonly attempt?: number;
  readonly charged: Charged;
  readonly price?: Price;
  readonly note: string;
  /** What the audit trail has of it besides. */
  readonly detail: JsonObject;
}

export interface SettlementNeeds {
  readonly act: Act;
  readonly clock: Clock;
  readonly reader: Pick<LedgerAnswers, "show" | "reconcile">;
  readonly store: VerbNeeds["store"];
}

/**
 * Settles a charge on the ledger and in the budgets, between two entries of the audit trail. If it ends in between,
 * `countInBudgets` makes up for the rest.
 * @throws OperatorError if nothing would be settled, and if the budgets could not be told
 */
export async function settleCharge(
  run: RunReportRow,
  { call, attempt, charged, price, note, detail: more }: ChargeDecision,
  { act, clock, reader, store }: SettlementNeeds,
): Promise<{ readonly settled: Settled; readonly budgets: readonly string[] }> {
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
  // Others may have settled something of the call as well: whoever comes first counts all of it.
  const countNow = async () =>
    countInBudgets((await reader.show(run.run.transaction_id)) ?? run, call, detail, { act, clock, store });
  const budgets = await countNow().catch((cause: unknown) => {
    throw new OperatorError("unavailable", onlyOnLedger(run, call, attempt), { cause });
  });
  return { settled, budgets };
}

/** Tells the budgets what was settled of a call and they have not counted, and records that it is done. */
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
 * Tells the budgets of settlements that were cut short.
 * @param recorded entries of settlements, newest first
 * @returns how many calls they were told of
 */
export async function finishSettlements(recorded: readonly AuditEntry[], needs: SettlementNeeds): Promise<number> {
  const newest = new Map<string, AuditEntry>();
  for (const entry of recorded) {
    const key = `${entry.subjectId} ${entry.detail["call"] as number}`;
    if (!newest.has(key)) newest.set(key, entry);
  }
  let told = 0;
  for (const { subjectId, detail } of newest.values()) {
    if (detail["state"] !== ABOUT_TO_SETTLE) continue;
    const [call, run] = [detail["call"] as number, await needs.reader.show(subjectId)];
    if (run === null) continue;
    const ofRun = await (await needs.store()).auditEntries({ what: SETTLEMENT, subjectId });
    // Nothing was settled, or others have told of it.
    if (revisionRecorded(ofRun, call) >= revisionOf(run, call)) continue;
    const { state: _, ...about } = detail;
    await countInBudgets(run, call, about, needs);
    told += 1;
  }
  return told;
}

function subjectOf({ run }: RunReportRow) {
  return {
    organizationId: run.organization_id === "" ? null : run.organization_id,
    subjectId: run.transaction_id,
  };
}

/** How much of the settlements of a call the budgets have counted. */
function revisionRecorded(recorded: readonly AuditEntry[], call: number): number {
  const counted = recorded
    .filter(({ detail }) => detail["call"] === call && detail["state"] === SETTLED)
    .map(({ detail }) => detail["revision"] as number);
  return Math.max(0, ...counted);
}

/** Repeating it is safe: what is settled already stays so, and is counted once. */
function onlyOnLedger({ attempts }: RunReportRow, call: number, attempt: number | undefined): string {
  const requests = attempts.filter(({ ordinal }) => ordinal === call);
  const choose = attempt === undefined && requests.length > 1 ? `, with --attempt ${requests[0]!.number}` : "";
  return `The charge is settled on the ledger, but the store could not be told, so budgets do not count it yet. Give the same command again${choose}: it then counts once.`;
}

/** What was settled of a call after a revision. Nothing was reserved for requests of simulated runs. */
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
