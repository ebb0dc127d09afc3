import type { Clock } from "../../terms/clock.ts";
import { Fault } from "../../terms/fault.ts";
import { freezeDeep } from "../../terms/freeze-deep.ts";
import { isJsonObject, type Json, type JsonObject } from "../../terms/json.ts";
import { Secret } from "../../terms/secret.ts";
import type {
  Answer,
  Around,
  CredentialFinder,
  FoundCredential,
  PlannedCall,
  RunnableSource,
  RunSource,
} from "../ports.ts";
import { beforeDeadline } from "./deadline.ts";
import { fieldAt } from "../../terms/json-pointer.ts";

/**
 * Resolves the credential of a call in the order of decision 0012 and checks it against the source's schema before
 * anything is sent. The call waits for a slow store until its deadline at most.
 */
export function withCredential(finder: CredentialFinder, clock: Clock): Around {
  return (next) => (source, call) => {
    const named = call.entry.cred_id;
    if (source.credentialUse === "none" && named === undefined) return next(source, call);
    try {
      const inline = inlineOf(source, call);
      const found = finder.find({
        organizationId: call.run.caller.organizationId,
        source: source.id,
        context: call.run.intent.context,
        region: call.run.intent.region,
        inline,
        account: inline === undefined ? undefined : accountIn(source, inline),
        credentialId: named,
        autoSelect: call.run.caller.workflow.autoCredentials,
      });
      return found instanceof Promise
        ? beforeDeadline(call, clock, found).then((value) => proceed(value, source, call, next))
        : proceed(found, source, call, next);
    } catch (fault) {
      return Promise.reject(fault);
    }
  };
}

const NO_FIELDS: JsonObject = Object.freeze({});

function proceed(
  found: FoundCredential | null,
  source: RunnableSource,
  call: PlannedCall,
  next: RunSource,
): Promise<Answer> {
  if (found === null) {
    if (source.credentialUse === "required") {
      return Promise.reject(new Fault("source.credential_missing", { problem: "no credential for this source" }));
    }
    call.takeCredential(withoutOne(call));
    return next(source, call);
  }
  call.takeCredential(found);
  // An inline credential is checked as it was sent, so that a schema which refuses unknown fields can see them.
  const judged = found.rule === "inline" ? call.entry.credentials! : found.fields.reveal();
  const problem = source.credentialProblem(judged, call.run.checkSteps);
  if (problem === null) return next(source, call);
  const at = (field: string) => ({ problem: `credential field ${field} ${problem.message}`.replace("  ", " ") });
  // Names in a stored credential are not the caller's own.
  const options = found.rule === "inline" ? { told: at(fieldAt(problem.path)) } : {};
  return Promise.reject(new Fault("source.credential_missing", at(problem.declaredField), options));
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

function withoutOne(call: PlannedCall): FoundCredential {
  return {
    credentialId: null,
    rule: "none",
    fields: new Secret(NO_FIELDS),
    scope: `${call.run.caller.organizationId}/none`,
    prices: null,
  };
}
