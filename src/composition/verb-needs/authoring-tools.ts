import type { AuthoringTools, LiveAnswer, LiveQuestion } from "../../admin/authoring/ports.ts";
import { PACKAGE_ROOT } from "../../project/package-root.ts";
import { reportCall, settleReservations } from "../../run/fan-out.ts";
import { makeOneCall } from "../../run/one-call.ts";
import type { Reply } from "../../sdk/http.ts";
import { captureReplies } from "../../simulation/capture-replies.ts";
import { compileDeclarative } from "../../sources/declarative/compile-declarative.ts";
import { toRunnable } from "../../sources/runnable.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import { createSchemas } from "../../terms/schema/author-schemas.ts";
import { readDeployment } from "../deployment.ts";
import type { NeedParts } from "./need-parts.ts";

/** The tools for writing and testing sources. The client for real vendors is opened at the first call. */
export async function openAuthoringTools(parts: NeedParts): Promise<AuthoringTools> {
  const { settings, clock } = parts;
  const { loaded } = await parts.sources();
  return {
    project: settings.project,
    cases: { door: await parts.casesClient(), clock },
    askLive: (question) => callLiveVendor(question, parts),
    problems: loaded.problems.map(({ message }) => message),
    fileOf(id) {
      const found = loaded.all.get(id);
      return found === undefined ? undefined : { path: found.file, from: found.from };
    },
    version: () => readDeployment(PACKAGE_ROOT).gitDerivedVersion,
    compile: (text, file) => toRunnable(compileDeclarative(text, file), createSchemas(), "now"),
  };
}

/**
 * Calls one real vendor for a verb, with the steps of a run. The call is not in the journal, which only the service
 * writes; the caller records it.
 */
async function callLiveVendor({ credentialId, finder, ...asked }: LiveQuestion, parts: NeedParts): Promise<LiveAnswer> {
  const replies: Reply[] = [];
  const client = captureReplies(await parts.vendorClient(), (reply) => replies.push(reply));
  const entry = credentialId === undefined ? {} : { cred_id: credentialId };
  const outcome = await makeOneCall(
    { ...asked, region: parts.settings.region, entry },
    { client, finder, budgets: await parts.budgets(), clock: parts.clock, log: () => {} },
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
