import type { RunnableSource } from "../run/ports.ts";
import type { Context } from "../terms/caller.ts";
import type { Charged } from "../terms/fault.ts";
import { newId } from "../terms/ids.ts";
import type { JsonObject } from "../terms/json.ts";
import type { LiveAnswer } from "./ports.ts";
import { requireOrganization, unknownCredential } from "./require.ts";
import { requireWorkshop } from "./require-workshop.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { VerbCall } from "./verb.ts";

export interface VendorQuestion {
  readonly source: RunnableSource;
  readonly inputs: JsonObject;
  readonly context: Context;
  readonly org: string | undefined;
  readonly credential: string | undefined;
  /** What the audit trail says besides: which case, which purpose. */
  readonly purpose: JsonObject;
}

/**
 * Asks a real vendor once, between two entries of the audit trail: one before anything is sent, so that no billed call can
 * go unrecorded, and one with what became of it. @throws OperatorError
 */
export async function askVendor(question: VendorQuestion, call: VerbCall): Promise<LiveAnswer> {
  const { source, purpose, context } = question;
  const workshop = await requireWorkshop(call);
  const store = await call.store();
  const owner = await ownerOf(question, call);
  if (owner === null && source.credentialUse === "required") {
    throw new OperatorError(
      "usage",
      `${source.id} needs a credential: name one with --credential, or whose with --org.`,
    );
  }
  const entry = { organizationId: owner, subjectId: source.id };
  const transactionId = newId("transaction", call.act.wallAt);
  const asked = {
    ...purpose,
    live: true,
    transaction_id: transactionId,
    context,
    cred_id: question.credential ?? null,
  };
  await store.recordAct(call.act, { ...entry, detail: { ...asked, state: "about to ask" } });
  const answer = await workshop.askLive({
    transactionId,
    source,
    finder: owner === null ? { find: () => null } : await call.finder(),
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
    took_ms: report.tookMs,
  };
  const endedAct = { ...call.act, wallAt: call.clock.wall() };
  await store.recordAct(endedAct, { ...entry, detail: { ...asked, ...outcome } });
  return answer;
}

/** How many requests were charged how: what `ledger summary` counts of a live test. */
function countCharges(attempts: LiveAnswer["report"]["attempts"]): JsonObject {
  const counts: Partial<Record<Charged, number>> = {};
  for (const { charged } of attempts) counts[charged] = (counts[charged] ?? 0) + 1;
  return counts;
}

async function ownerOf({ org, credential }: VendorQuestion, call: VerbCall): Promise<string | null> {
  const store = await call.store();
  if (org !== undefined) await requireOrganization(store, org);
  if (credential === undefined) return org ?? null;
  const stored = await store.credential(credential);
  if (stored === null || (org !== undefined && stored.organizationId !== org)) throw unknownCredential(credential);
  return stored.organizationId;
}

/** `record`, `no record`, or the kind of failure. */
export function outcomeOf({ report, output }: LiveAnswer): string {
  if (output === null) return report.fault?.row.kind ?? "internal";
  return report.match ? "record" : "no record";
}
