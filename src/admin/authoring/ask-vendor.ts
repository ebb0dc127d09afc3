import type { RunnableSource } from "../../run/ports.ts";
import type { Context } from "../../terms/caller.ts";
import type { Charged } from "../../terms/fault.ts";
import { costOf } from "../../ledger/read/costs.ts";
import { amountText } from "../../terms/money/money.ts";
import { newId } from "../../terms/ids.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import type { LiveAnswer, LiveCallParts } from "./ports.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { requireCredential, requireOrganization, unknownCredential } from "../require.ts";
import type { VerbCall } from "../needs.ts";

export interface VendorQuestion {
  readonly source: RunnableSource;
  readonly inputs: JsonObject;
  readonly context: Context;
  readonly credential: string | undefined;
  /** Further fields of the audit trail: the case, or the purpose. */
  readonly purpose: JsonObject;
}

/**
 * Sends one real call to a vendor, between two entries of the audit trail. The first is written before the request, so
 * that no billed call is unrecorded. The second has the result. If it cannot be stored, the first stays with an unknown
 * charge, and a remark tells the operator, because the answer must not be lost.
 * @throws OperatorError
 */
export async function askVendor(question: VendorQuestion, parts: LiveCallParts): Promise<LiveAnswer> {
  const { source, purpose, context } = question;
  const { act, clock } = parts;
  const trail = await parts.trail();
  const owner = await parts.owner();
  if (owner === null && source.credentialUse === "required") {
    throw new OperatorError(
      "usage",
      `${source.id} needs a credential: name one with --credential, or its organization with --org.`,
    );
  }
  const entry = { organizationId: owner, subjectId: source.id };
  const transactionId = newId("transaction", act.wallAt);
  const asked = {
    ...purpose,
    live: true,
    transaction_id: transactionId,
    context,
    cred_id: question.credential ?? null,
  };
  await trail.recordAct(act, { ...entry, detail: { ...asked, state: "about to ask" } });
  const answer = await parts.askLive({
    transactionId,
    source,
    finder: owner === null ? { find: async () => null } : await parts.finder(),
    organizationId: owner ?? "",
    credentialId: question.credential,
    context,
    inputs: question.inputs,
  });
  const { report } = answer;
  const outcome = {
    state: "asked",
    cred_id: report.credentialId,
    outcome: outcomeOf(answer),
    charged: report.charged,
    requests: report.attempts.length,
    charges: countCharges(report.attempts),
    cost: sumCosts(report.attempts),
    took_ms: report.tookMs,
  };
  const endedAct = { ...act, wallAt: clock.wall() };
  await trail.recordAct(endedAct, { ...entry, detail: { ...asked, ...outcome } }).catch(() => {
    parts.note(
      `The result of this call (${transactionId}) could not be stored. The audit trail has only that ${source.id} was about to be called, so the call counts as unknown there; its charge is "${report.charged}".`,
    );
  });
  if (report.fault?.code === "source.credential_unavailable" && !("verifies" in purpose))
    parts.note(hintFor(source.id, question.credential ?? report.credentialId));
  return answer;
}

/** The failure of a call says nothing about references, because callers read it. */
function hintFor(source: string, credential: string | null): string {
  return credential === null
    ? `"datarun source credentials ${source}" lists its credentials, and "datarun credential verify" shows why a reference cannot be read.`
    : `To see why a reference cannot be read: datarun credential verify ${credential}`;
}

/** The number of requests by charge, which `ledger summary` adds up for live tests. */
function countCharges(attempts: LiveAnswer["report"]["attempts"]): JsonObject {
  const counts: Partial<Record<Charged, number>> = {};
  for (const { charged } of attempts) counts[charged] = (counts[charged] ?? 0) + 1;
  return counts;
}

/** The cost of the requests, which `ledger summary` adds up too. All prices of a call are in one currency. */
function sumCosts(attempts: LiveAnswer["report"]["attempts"]): JsonObject {
  let [least, most, unpriced] = [0n, 0n, 0];
  for (const { charged, price } of attempts) {
    const cost = costOf(charged, price?.amount ?? null);
    if (cost === null) unpriced += 1;
    else [least, most] = [least + cost.least, most + cost.most];
  }
  const currency = attempts.find(({ price }) => price !== null)?.price?.currency ?? null;
  return { currency, amount: amountText(least), amount_at_most: amountText(most), unpriced };
}

/** `record`, `no record`, or the kind of failure. */
export function outcomeOf({ report, output }: LiveAnswer): string {
  if (output === null) return report.fault?.row.kind ?? "internal";
  return report.match ? "record" : "no record";
}

/** The owner of the credential that a real call uses. */
export interface LiveCallFor {
  readonly org: string | undefined;
  readonly credential: string | undefined;
}

/** The arguments of `askVendor`, for verbs that make real calls. */
export function liveCallParts(
  call: VerbCall<"store" | "finder" | "authoring">,
  { org, credential }: LiveCallFor,
): LiveCallParts {
  const { act, clock, note, store, finder, authoring } = call;
  return {
    act,
    clock,
    note,
    trail: store,
    finder,
    askLive: async (question) => (await authoring()).askLive(question),
    owner: async () => {
      const open = await store();
      if (org !== undefined) await requireOrganization(open, org);
      if (credential === undefined) return org ?? null;
      const stored = await requireCredential(open, credential);
      if (org !== undefined && stored.organizationId !== org) throw unknownCredential(credential);
      return stored.organizationId;
    },
  };
}
