import { Type } from "../../../terms/type.ts";
import type { RunReportRow } from "../../../ledger/ports.ts";
import { wouldSettle, type Settlement } from "../../../ledger/read/reconcile-charge.ts";
import { revisionOf, settledSince } from "../../../ledger/read/settled-since.ts";
import type { AuditEntry, RequestCost, ResettledRequest } from "../../ports.ts";
import { amountFromColumn } from "../../../terms/money.ts";
import type { Price } from "../../../terms/price.ts";
import { amountInput, amountOf, currencyInput } from "../../price-wire.ts";
import { noteInput } from "../../inputs.ts";
import { transactionInput, unknownRun } from "../../ledger-inputs.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { count, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Settle a charge after a look at the vendor's invoice",
  description:
    "Any charge can be settled, whatever it was and as often as necessary. Each time the run records who settled it, when and why; the charge that was recorded first is kept too. All counts use the latest settlement.",
  example: 'trx_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --call 0 --charged no --note "not on invoice 4711"',
  input: Type.Object(
    {
      transaction: transactionInput,
      call: Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: "Number of the call in its run, from 0" }),
      attempt: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000_000,
          description: "Which request of the call; by default those that are unknown, or else the only one",
        }),
      ),
      charged: Type.Enum(["yes", "no", "unknown"], {
        description: "Whether the vendor charged for it; unknown reopens it",
      }),
      amount: Type.Optional({
        ...amountInput,
        description: "What the vendor billed for each of these requests, if it differs from the recorded price",
      }),
      currency: Type.Optional({
        ...currencyInput,
        description: "The currency of that amount; the recorded one by default",
      }),
      note: noteInput("The reason, such as the invoice", 500),
    },
    { additionalProperties: false },
  ),
  positional: ["transaction"],
  role: "operator",
  changes: true,
  needs: ["store", "ledger"],

  result: Type.Object({
    transaction_id: text,
    call: count,
    requests: count,
    call_charged: text,
    changed_budgets: Type.Optional(text),
  }),

  async run({ transaction, call, attempt, charged, amount, currency, note }, { act, clock, ledger, store }) {
    const reader = await ledger();
    const run = await reader.show(transaction);
    if (run === null) throw unknownRun();
    if (amount === undefined && currency !== undefined)
      throw new OperatorError("usage", "--currency goes with --amount.");
    if (amount !== undefined && charged !== "yes")
      throw new OperatorError("usage", "--amount says what the vendor billed, so it goes with --charged yes.");
    const decision = {
      transactionId: transaction,
      ordinal: call,
      ...(attempt !== undefined && { attempt }),
      charged,
      ...(amount !== undefined && { price: priceOf(amount, currency, run, call) }),
      decidedBy: act.who,
      decidedAt: act.wallAt,
      note,
    };
    if (!wouldSettle(run, decision)) throw new OperatorError("refused", whyNot(run, call, attempt));
    const billed = amount === undefined ? {} : { amount, ...(currency !== undefined && { currency }) };
    const detail = { call, attempt: attempt ?? null, charged, ...billed, note };
    const organizationId = run.run.organization_id === "" ? null : run.run.organization_id;
    const open = await store();
    const entry = { organizationId, subjectId: transaction };
    await open.recordAct(act, { ...entry, detail: { ...detail, state: ABOUT_TO_SETTLE } });
    const settled = await reader.reconcile(decision);
    if (settled === null) throw new OperatorError("refused", whyNot(run, call, attempt));
    const tellBudgets = async () => {
      // Others may have settled something of the call as well: whoever comes first counts all of it.
      const now = (await reader.show(transaction)) ?? run;
      const endedAct = { ...act, wallAt: clock.wall() };
      return open.settleInBudgets(endedAct, {
        ...entry,
        detail: { ...detail, state: SETTLED, revision: revisionOf(now, call) },
        requests: (recorded) => resettled(now, call, revisionRecorded(recorded, now, call)),
      });
    };
    const budgets = await tellBudgets().catch((cause: unknown) => {
      throw new OperatorError("unavailable", onlyOnLedger(run, call, attempt), { cause });
    });
    return {
      transaction_id: transaction,
      call,
      requests: settled.requests.length,
      call_charged: settled.charged,
      ...(budgets.length > 0 && { changed_budgets: budgets.join(", ") }),
    };
  },
});

/** The two entries of a settlement in the audit trail. With the second, the budgets have counted it. */
const ABOUT_TO_SETTLE = "about to settle";
const SETTLED = "settled";

/** How much of the settlements of a call the budgets have counted. */
function revisionRecorded(recorded: readonly AuditEntry[], { reconciliations }: RunReportRow, call: number): number {
  const counted = recorded
    .filter(({ detail }) => detail["call"] === call)
    .flatMap(({ detail, wallAt }) => {
      if (detail["state"] === SETTLED) return [detail["revision"] as number];
      if (detail["state"] === ABOUT_TO_SETTLE) return [];
      // Of an earlier version, which recorded nothing else.
      const until = reconciliations.filter((one) => one.ordinal === call && one.decided_at <= wallAt);
      return until.map(({ revision }) => revision);
    });
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

/** @throws OperatorError if the currency has to be given, because none was recorded or several were */
function priceOf(text: string, given: string | undefined, { attempts }: RunReportRow, call: number): Price {
  const recorded = new Set(attempts.filter(({ ordinal }) => ordinal === call).map((attempt) => attempt.currency));
  const currency = given ?? (recorded.size === 1 ? [...recorded][0]! : null);
  const amount = amountOf(text);
  if (currency === null) throw new OperatorError("usage", "The call recorded no currency. Give it with --currency.");
  return { amount, currency };
}

function whyNot({ calls, attempts }: RunReportRow, call: number, attempt: number | undefined): string {
  if (!calls.some(({ ordinal }) => ordinal === call)) return `The run has no call ${call}.`;
  const { length } = attempts.filter(({ ordinal }) => ordinal === call);
  if (length === 0) return `Call ${call} sent no request, so there is no charge to settle.`;
  const made = `Call ${call} made ${length} ${length === 1 ? "request" : "requests"}`;
  if (attempt !== undefined) return `${made}: there is no request ${attempt}.`;
  return `${made} and none of them is unknown. Choose one with --attempt.`;
}
