import type { LiveAnswer, LiveQuestion } from "../admin/authoring/ports.ts";
import type { Budgets } from "../run/middleware/ports.ts";
import { reportCall, settleReservations } from "../run/fan-out.ts";
import { makeOneCall } from "../run/one-call.ts";
import type { VendorClient } from "../run/ports.ts";
import type { Reply } from "../sdk/http.ts";
import { captureReplies } from "../simulation/capture-replies.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { JsonObject } from "../terms/json/json.ts";

export interface LiveVendorParts {
  readonly client: VendorClient;
  readonly region: string;
  readonly clock: Clock;
  readonly budgets: Budgets;
}

/**
 * Calls one real vendor for a verb, with the steps of a run. The call is not in the journal, which only the service
 * writes; the caller records it.
 */
export async function callLiveVendor(
  { credentialId, finder, ...asked }: LiveQuestion,
  { client, region, clock, budgets }: LiveVendorParts,
): Promise<LiveAnswer> {
  const replies: Reply[] = [];
  const seeing = captureReplies(client, (reply) => replies.push(reply));
  const entry = credentialId === undefined ? {} : { cred_id: credentialId };
  const outcome = await makeOneCall(
    { ...asked, region, entry },
    { client: seeing, finder, budgets, clock, log: () => {} },
  );
  const { result } = outcome;
  const report = reportCall(outcome);
  settleReservations([report]);
  return {
    report,
    output: "json" in result ? (JSON.parse(String(result.json)) as JsonObject) : null,
    replies,
  };
}
