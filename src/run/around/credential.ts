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
 * Resolves the credential of a call by the order of decision 0012 and checks it against the source's schema, before any
 * call. A store that is slow costs the call no more than the time it has.
 */
export function withCredential(finder: CredentialFinder, clock: Clock): Around {
  return (next) => (source, call) => {
    const named = call.entry.cred_id;
    if (source.credentialUse === "none" && named === undefined) return next(source, call);
    try {
      const found = finder.find({
        organizationId: call.run.caller.organizationId,
        source: source.id,
        context: call.run.intent.context,
        inline: inlineOf(source, call),
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
  // One that was sent is judged as it was sent: a schema that refuses fields it does not know refuses them.
  const judged = found.rule === "inline" ? call.entry.credentials! : found.fields.reveal();
  const problem = source.credentialProblem(judged);
  if (problem === null) return next(source, call);
  return Promise.reject(
    new Fault("source.credential_missing", {
      problem: `credential field ${fieldAt(problem.path)} ${problem.message}`.replace("  ", " "),
    }),
  );
}

/**
 * What a request sent for this source, reduced to the fields that the source declares, in its order. Others reach nobody,
 * and make no other credential of it: what is counted by credential cannot be had anew by a field that means nothing.
 */
function inlineOf({ credentialNames: names }: RunnableSource, { entry }: PlannedCall): JsonObject | undefined {
  const sent = entry.credentials;
  if (!isJsonObject(sent) || Object.keys(sent).length === 0) return undefined;
  if (names === null) return freezeDeep(sent);
  const declared: [string, Json][] = [];
  for (const name of names) if (Object.hasOwn(sent, name)) declared.push([name, sent[name]!]);
  return freezeDeep(Object.fromEntries<Json>(declared));
}

function withoutOne(call: PlannedCall): FoundCredential {
  return {
    credentialId: null,
    rule: "none",
    fields: new Secret(NO_FIELDS),
    scope: `${call.run.caller.organizationId}/none`,
  };
}
