import { Fault } from "../../terms/fault.ts";
import { isJsonObject } from "../../terms/json.ts";
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

/** Resolves the credential of a call by the order of section 2.3 and checks it against the source's schema, before any call. */
export function withCredential(finder: CredentialFinder): Around {
  return (next) => (source, call) => {
    const named = call.entry.cred_id;
    if (source.credentialUse === "none" && named === undefined) return next(source, call);
    try {
      const found = finder.find({
        organizationId: call.run.caller.organizationId,
        source: source.id,
        context: call.run.context,
        inline: isJsonObject(call.entry.credentials) ? call.entry.credentials : undefined,
        credentialId: named,
        autoSelect: call.run.caller.workflow.autoCredentials,
      });
      return found instanceof Promise
        ? found.then((value) => proceed(value, source, call, next))
        : proceed(found, source, call, next);
    } catch (fault) {
      return Promise.reject(fault);
    }
  };
}

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
    call.credential = withoutOne(call);
    return next(source, call);
  }
  call.credential = call.run.simulated ? inSimulation(found) : found;
  const problem = source.credentialProblem(found.fields.reveal());
  if (problem === null) return next(source, call);
  const field = problem.path.slice(1).replaceAll("/", ".");
  return Promise.reject(
    new Fault("source.credential_missing", {
      problem: `credential field ${field} ${problem.message}`.replace("  ", " "),
    }),
  );
}

/** Under a scope of its own: nothing that is kept by scope may pass from a simulated call to a real one, or back. */
function inSimulation(found: FoundCredential): FoundCredential {
  return { ...found, scope: `simulated/${found.scope}` };
}

function withoutOne(call: PlannedCall): FoundCredential {
  const none = {
    credentialId: null,
    rule: "none",
    fields: new Secret({}),
    scope: `none:${call.run.caller.organizationId}`,
  } as const;
  return call.run.simulated ? inSimulation(none) : none;
}
