import { heldWithoutLimit } from "../terms/byte-budget.ts";
import type { Context } from "../terms/caller.ts";
import type { JsonObject } from "../terms/json.ts";
import { Secret } from "../terms/secret.ts";
import { callAdapter, compose, type AdapterParts } from "./around/adapter.ts";
import { withCredential } from "./around/credential.ts";
import { withDeadline } from "./around/deadline.ts";
import { withInputs } from "./around/inputs.ts";
import { settle, type Outcome } from "./fan-out.ts";
import { openRun } from "./under-way.ts";
import { planCall } from "./call.ts";
import type { CredentialFinder, Ledger, Run, RunnableSource, SourceEntry } from "./ports.ts";

/** What is asked of one source by somebody who is no client: a case, or whoever tries a vendor from a command line. */
export interface OneCall {
  readonly source: RunnableSource;
  readonly organizationId: string;
  /** A new one where there is none yet. */
  readonly transactionId?: string;
  readonly context: Context;
  readonly region: string;
  readonly entry: SourceEntry;
  readonly inputs: JsonObject;
  /** Where it is to take less than the source's own time. */
  readonly withinMs?: number;
}

export interface OneCallParts extends AdapterParts {
  /** Where there is none, a call has the credential that its entry brings, and nothing is kept by it for another call. */
  readonly finder?: CredentialFinder;
}

/** Whoever asks sees to the record: the journal belongs to the service. */
export const NOT_RECORDED: Ledger = { open: () => ({ intend: () => {}, noteOrder: () => {}, close: () => {} }) };

/**
 * Makes one call outside of a service, by the steps that it would take within one, but for breaker and limits, which are
 * about more than one call. Never rejects.
 */
export function oneCall(asked: OneCall, parts: OneCallParts): Promise<Outcome> {
  const { source, organizationId, context, region, entry, inputs, withinMs } = asked;
  const { clock } = parts;
  const now = clock.now();
  const run = openRun(
    {
      kind: "data",
      caller: { organizationId, tokenId: "", workflow: workflowOf(organizationId) },
      context,
      arrivedAt: now,
      functionId: null,
      held: heldWithoutLimit(),
      ...(asked.transactionId === undefined ? {} : { transactionId: asked.transactionId }),
    },
    { ledger: NOT_RECORDED, clock, region },
  );
  const times = { startedAt: now, from: now, ...(withinMs === undefined ? {} : { notPast: now + withinMs }) };
  const call = planCall(run, { id: source.id, ordinal: 0, entry, inputs, source, ...times });
  const steps = [withInputs, withCredential(parts.finder ?? onlyInline(run), clock), withDeadline(clock)];
  return settle({ call, source }, compose(steps, callAdapter(parts)), clock);
}

function onlyInline({ intent }: Run): CredentialFinder {
  const scope = `${intent.transactionId}/inline`;
  return {
    find: ({ inline }) =>
      inline === undefined ? null : { credentialId: null, rule: "inline", fields: new Secret(inline), scope },
  };
}

function workflowOf(organizationId: string) {
  const off = { disabled: false, autoCredentials: false, failureDetails: false, maskCredentials: false };
  return { id: "", organizationId, simulated: false, ...off };
}
