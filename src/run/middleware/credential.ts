import type { Clock } from "../../terms/time/clock.ts";
import { Fault } from "../../terms/fault.ts";
import { freezeDeep, isJsonObject, type Json, type JsonObject } from "../../terms/json/json.ts";
import { Secret } from "../../terms/secret.ts";
import type { CallMiddleware, CredentialFinder, ResolvedCredential, PlannedCall, RunnableSource } from "../ports.ts";
import { beforeDeadline } from "./deadline.ts";
import { fieldAt } from "../../terms/json/json-pointer.ts";

/**
 * Resolves the credential of a call in the order of decision 0012 and checks it against the source's schema before
 * anything is sent. The call waits for a slow store until its deadline at most.
 */
export function withCredential(finder: CredentialFinder, clock: Clock): CallMiddleware {
  return (next) => async (source, call) => {
    const named = call.entry.cred_id;
    if (source.credentialUse === "none" && named === undefined) return next(source, call);
    const inline = inlineOf(source, call);
    const finding = finder.find({
      organizationId: call.run.caller.organizationId,
      source: source.id,
      context: call.run.intent.context,
      region: call.run.intent.region,
      inline,
      account: inline === undefined ? undefined : accountIn(source, inline),
      credentialId: named,
      autoSelect: call.run.caller.workflow.autoCredentials,
    });
    take(await beforeDeadline(call, clock, finding), source, call);
    return next(source, call);
  };
}

const NO_FIELDS: JsonObject = Object.freeze({});

/** @throws Fault `source.credential_missing` */
function take(found: ResolvedCredential | null, source: RunnableSource, call: PlannedCall): void {
  if (found === null) {
    if (source.credentialUse === "required")
      throw new Fault("source.credential_missing", { problem: "no credential for this source" });
    return call.takeCredential(withoutOne(call));
  }
  call.takeCredential(found);
  // An inline credential is checked as it was sent, so that a schema which refuses unknown fields can see them.
  const judged = found.rule === "inline" ? call.entry.credentials! : found.fields.reveal();
  const problem = source.credentialProblem(judged, call.run.checkSteps);
  if (problem === null) return;
  const at = (field: string) => ({ problem: `credential field ${field} ${problem.message}`.replace("  ", " ") });
  // The caller must not learn the names of fields of a stored credential.
  const options = found.rule === "inline" ? { told: at(fieldAt(problem.path)) } : {};
  throw new Fault("source.credential_missing", at(problem.declaredField), options);
}

/**
 * The inline credential, reduced to the fields that the source declares, in the declared order. Other fields are not
 * passed on and do not make it a different credential, so adding one does not reset limits that are counted by
 * credential.
 */
function inlineOf({ credentialNames: names }: RunnableSource, { entry }: PlannedCall): JsonObject | undefined {
  const sent = entry.credentials;
  if (!isJsonObject(sent) || Object.keys(sent).length === 0) return undefined;
  if (names === null) return freezeDeep(sent);
  return freezeDeep(pick(sent, names));
}

function pick(fields: JsonObject, names: readonly string[]): JsonObject {
  const picked: [string, Json][] = [];
  for (const name of names) if (Object.hasOwn(fields, name)) picked.push([name, fields[name]!]);
  return Object.fromEntries<Json>(picked);
}

function accountIn({ accountNames: names }: RunnableSource, inline: JsonObject): JsonObject | undefined {
  return names.length === 0 ? undefined : pick(inline, names);
}

function withoutOne(call: PlannedCall): ResolvedCredential {
  return {
    credentialId: null,
    rule: "none",
    fields: new Secret(NO_FIELDS),
    scope: `${call.run.caller.organizationId}/none`,
    prices: null,
  };
}
