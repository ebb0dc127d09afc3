import type { AuthoringTools, LiveAnswer, LiveQuestion } from "../../admin/authoring/ports.ts";
import { PACKAGE_ROOT } from "../../project/package-root.ts";
import { reportCall, settleReservations } from "../../run/fan-out.ts";
import type { Budgets } from "../../run/middleware/ports.ts";
import { makeOneCall } from "../../run/one-call.ts";
import type { VendorClient } from "../../run/ports.ts";
import type { Reply } from "../../sdk/http.ts";
import { captureReplies } from "../../simulation/capture-replies.ts";
import { compileDeclarative } from "../../sources/declarative/compile-declarative.ts";
import { toRunnable } from "../../sources/runnable.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import { createSchemas } from "../../terms/schema/author-schemas.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { readDeployment } from "../deployment.ts";
import type { NeedParts } from "./need-parts.ts";

/** The tools for writing and testing sources. The client for real vendors is opened at the first call. */
export async function openAuthoringTools(parts: NeedParts): Promise<AuthoringTools> {
  const { settings, clock } = parts;
  const { loaded } = await parts.sources();
  return {
    project: settings.project,
    cases: { door: await parts.casesClient(), clock },
    askLive: async (question) => {
      const client = await parts.vendorClient();
      return callLiveVendor(question, { client, region: settings.region, clock, budgets: await parts.budgets() });
    },
    problems: loaded.problems.map(({ message }) => message),
    fileOf(id) {
      const found = loaded.all.get(id);
      return found === undefined ? undefined : { path: found.file, from: found.from };
    },
    version: () => readDeployment(PACKAGE_ROOT).gitDerivedVersion,
    compile: (text, file) => toRunnable(compileDeclarative(text, file), createSchemas(), "now"),
  };
}

interface LiveVendorParts {
  readonly client: VendorClient;
  readonly region: string;
  readonly clock: Clock;
  readonly budgets: Budgets;
}

/**
 * Calls one real vendor for a verb, with the steps of a run. The call is not in the journal, which only the service
 * writes; the caller records it.
 */
async function callLiveVendor(
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
