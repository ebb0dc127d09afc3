import type { LiveAnswer, LiveQuestion } from "../authoring/ports.ts";
import { callAdapter } from "../run/around/adapter.ts";
import { compose } from "../run/around/compose.ts";
import { withCredential } from "../run/around/credential.ts";
import { withDeadline } from "../run/around/deadline.ts";
import { withInputs } from "../run/around/inputs.ts";
import { settle } from "../run/fan-out.ts";
import { planCall } from "../run/plan.ts";
import type { Door, Run } from "../run/ports.ts";
import { reportCall } from "../run/report.ts";
import type { Reply } from "../sdk/http.ts";
import { captureReplies } from "../simulation/capture-replies.ts";
import { createArgument } from "../sources/argument.ts";
import { heldWithoutLimit } from "../terms/byte-budget.ts";
import type { Clock } from "../terms/clock.ts";
import type { JsonObject } from "../terms/json.ts";

/**
 * Asks one real vendor from a command line, by the steps of a run. It stands in no journal, which belongs to the service;
 * whoever asks records it.
 */
export function createLiveVendors(door: Door, clock: Clock): (question: LiveQuestion) => Promise<LiveAnswer> {
  return async (question) => {
    const { transactionId, source, finder, organizationId, credentialId, context, inputs } = question;
    const replies: Reply[] = [];
    const seeing = captureReplies(door, (reply) => replies.push(reply));
    const runSource = compose(
      [withInputs, withCredential(finder, clock), withDeadline(clock)],
      callAdapter(clock, createArgument({ door: seeing, simulatedDoor: seeing, clock, log: () => {} })),
    );
    const arrivedAt = clock.now();
    const run: Run = {
      transactionId,
      kind: "data",
      caller: { organizationId, tokenId: "", workflow: workflowOf(organizationId) },
      context,
      region: "",
      arrivedAt,
      startedWallAt: clock.wall(),
      simulated: false,
      record: { intend: () => {}, close: () => {} },
      held: heldWithoutLimit(),
      maySend: true,
    };
    const entry = credentialId === undefined ? {} : { cred_id: credentialId };
    const call = planCall(run, {
      id: source.id,
      ordinal: 0,
      entry,
      inputs,
      source,
      startedAt: arrivedAt,
      from: arrivedAt,
    });
    const outcome = await settle({ call, source }, runSource, clock);
    const { result } = outcome;
    return {
      report: reportCall(outcome),
      output: "json" in result ? (JSON.parse(String(result.json)) as JsonObject) : null,
      replies,
    };
  };
}

function workflowOf(organizationId: string) {
  const off = { disabled: false, autoCredentials: false, failureDetails: true, maskCredentials: true };
  return { id: "", organizationId, simulated: false, ...off };
}
