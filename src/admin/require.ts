import type { RunnableSource } from "../run/ports.ts";
import type {
  CredentialAdmin,
  DescribedFunction,
  FunctionListing,
  NamedWorkflow,
  Organization,
  OrganizationAdmin,
  SourceListing,
  StoredCredential,
  WorkflowAdmin,
} from "./ports.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { didYouMeanAnyOf } from "../terms/text/nearest.ts";

/** Each function returns a verb's object, or throws that it does not exist. */

/** @throws OperatorError */
export async function requireOrganization(store: OrganizationAdmin, id: string): Promise<Organization> {
  return (await store.organization(id)) ?? fail(unknownOrganization(id));
}

export function unknownOrganization(id: string): Error {
  return unknownId("organization", id, "datarun org list");
}

/** @throws OperatorError */
export async function requireWorkflow(store: WorkflowAdmin, id: string): Promise<NamedWorkflow> {
  return (await store.workflow(id)) ?? fail(unknownWorkflow(id));
}

export function unknownWorkflow(id: string): Error {
  return unknownId("workflow", id, "datarun workflow list --org ORG");
}

/** @throws OperatorError */
export async function requireCredential(store: CredentialAdmin, id: string): Promise<StoredCredential> {
  return (await store.credential(id)) ?? fail(unknownCredential(id));
}

export function unknownCredential(id: string): Error {
  return unknownId("credential", id, "datarun credential list --org ORG");
}

/** @throws OperatorError */
export function requireSource(sources: SourceListing, id: string): RunnableSource {
  return sources.find(id) ?? fail(unknownSource(id, sources));
}

/** @throws OperatorError */
export function requireFunction(functions: FunctionListing, id: string): DescribedFunction {
  return functions.list().find((each) => each.id === id) ?? fail(unknownFunction(id, functions));
}

function fail(error: Error): never {
  throw error;
}

/** The error for an unknown name. The name is repeated only if it has the form of an id, which is not secret. */
export function unknownId(noun: string, id: string, listedBy: string): OperatorError {
  const named = ID.test(id) ? ` ${id}` : " with this id";
  return new OperatorError("not_found", `There is no ${noun}${named}. "${listedBy}" shows those that exist.`);
}

const ID = /^(org|tok|wfl|cred|key|bud|opr)_[0-9a-z]{1,64}$/;

export function unknownSource(id: string, sources: SourceListing): OperatorError {
  if (sources.isBroken(id)) {
    return new OperatorError("invalid", `The source ${id} cannot be used until its file is corrected: see above.`);
  }
  const hint = didYouMeanAnyOf(id, sources.ids()) ?? '"datarun source list" shows those that exist.';
  return new OperatorError("not_found", `There is no source ${JSON.stringify(id)}. ${hint}${hintOf(sources)}`);
}

export function unknownFunction(id: string, functions: FunctionListing): OperatorError {
  if (functions.isBroken(id)) {
    return new OperatorError("invalid", `The function ${id} cannot be used until its file is corrected: see above.`);
  }
  const ids = functions.list().map((each) => each.id);
  const hint = didYouMeanAnyOf(id, ids) ?? '"datarun function list" shows those that exist.';
  return new OperatorError("not_found", `There is no function ${JSON.stringify(id)}. ${hint}${hintOf(functions)}`);
}

function hintOf({ projectHint }: Pick<SourceListing, "projectHint">): string {
  return projectHint === undefined ? "" : ` ${projectHint}`;
}
