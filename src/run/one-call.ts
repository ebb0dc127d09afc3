import type { Budgets } from "./middleware/ports.ts";
import { unlimitedMemory } from "../terms/concurrency/byte-budget.ts";
import { PLAIN_WORKFLOW, type Context } from "../terms/caller.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { Secret } from "../terms/secret.ts";
import { callAdapter, composeMiddleware, type AdapterParts } from "./middleware/adapter.ts";
import { withCredential } from "./middleware/credential.ts";
import { withDeadline } from "./middleware/deadline.ts";
import { vendorMiddleware } from "./middleware/vendor-middleware.ts";
import { runCall, type Outcome } from "./fan-out.ts";
import { NOT_RECORDED } from "./not-recorded.ts";
import { openRun } from "./active-run.ts";
import { planCall } from "./call.ts";
import type { CredentialFinder, Run, RunnableSource, SourceEntry } from "./ports.ts";

/** A call of one source without a client: for a case, or for a person who tries a vendor from the command line. */
export interface OneCall {
  readonly source: RunnableSource;
  readonly organizationId: string;
  /** A new id by default. */
  readonly transactionId?: string;
  readonly context: Context;
  readonly region: string;
  readonly entry: SourceEntry;
  readonly inputs: JsonObject;
  /** A shorter timeout than the source's own, in milliseconds. */
  readonly withinMs?: number;
}

export interface OneCallParts extends AdapterParts {
  /** Without a finder, a call uses the credential in its entry, and keeps no state for other calls. */
  readonly finder?: CredentialFinder;
  /** Without budgets, nothing is reserved: for calls that reach no vendor. */
  readonly budgets?: Budgets;
}

/**
 * Makes one call outside a service, with the same middleware as in a service except breakers and limits. Never rejects.
 */
export function makeOneCall(oneCall: OneCall, parts: OneCallParts): Promise<Outcome> {
  const { source, organizationId, transactionId, context, region, entry, inputs, withinMs } = oneCall;
  const { clock, budgets } = parts;
  const now = clock.now();
  const run = openRun(
    {
      kind: "data",
      caller: { organizationId, tokenId: "", workflow: { ...PLAIN_WORKFLOW, id: "", organizationId } },
      context,
      arrivedAt: now,
      functionId: null,
      functionVersion: null,
      memory: unlimitedMemory(),
      identity: transactionId === undefined ? undefined : { transactionId, startedWallAt: clock.wall() },
    },
    // The journal belongs to the service, so the caller records the call elsewhere.
    { ledger: NOT_RECORDED, clock, region },
  );
  const times = { startedAt: now, from: now, ...(withinMs === undefined ? {} : { notPast: now + withinMs }) };
  const call = planCall(run, { id: source.id, ordinal: 0, entry, inputs, source, ...times });
  const credential = withCredential(parts.finder ?? onlyInline(run), clock);
  const steps = vendorMiddleware({ credential, budgets, deadline: withDeadline(clock) }, clock);
  return runCall({ call, source }, composeMiddleware(steps, callAdapter(parts)), clock);
}

function onlyInline({ intent }: Run): CredentialFinder {
  const scope = `${intent.transactionId}/inline`;
  return {
    find: async ({ inline }) =>
      inline === undefined
        ? null
        : { credentialId: null, rule: "inline", fields: new Secret(inline), scope, prices: null },
  };
}
