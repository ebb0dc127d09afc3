import type { LiveAnswer, LiveQuestion } from "../admin/authoring/ports.ts";
import type { Budgets } from "../run/middleware/ports.ts";
import { reportCall, settleReservations } from "../run/fan-out.ts";
import { makeOneCall } from "../run/one-call.ts";
import type { VendorClient } from "../run/ports.ts";
import type { Reply } from "../sdk/http.ts";
import { captureReplies } from "../simulation/capture-replies.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { JsonObject } from "../terms/json/json.ts";

/**
 * Calls one real vendor from the command line, with the steps of a run. The call is not in the journal, which only the
 * service writes; the caller records it.
 */
export function createLiveVendors(
  door: VendorClient,
  region: string,
  clock: Clock,
  budgets: () => Promise<Budgets>,
): (question: LiveQuestion) => Promise<LiveAnswer> {
  return async ({ credentialId, finder, ...asked }) => {
    const replies: Reply[] = [];
    const seeing = captureReplies(door, (reply) => replies.push(reply));
    const entry = credentialId === undefined ? {} : { cred_id: credentialId };
    const parts = { client: seeing, finder, budgets: await budgets(), clock, log: () => {} };
    const outcome = await makeOneCall({ ...asked, region, entry }, parts);
    const { result } = outcome;
    const report = reportCall(outcome);
    settleReservations([report]);
    return {
      report,
      output: "json" in result ? (JSON.parse(String(result.json)) as JsonObject) : null,
      replies,
    };
  };
}
