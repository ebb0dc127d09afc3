import type { RunnableSource } from "../run/ports.ts";
import type {
  DescribedFunction,
  FunctionListing,
  NamedWorkflow,
  OrganizationAdmin,
  SourceListing,
  WorkflowAdmin,
} from "./ports.ts";
import { unknownFunction, unknownId, unknownSource } from "./unknown-ids.ts";

/** Each function returns a verb's object, or throws that it does not exist. */

/** @throws OperatorError */
export async function requireOrganization(store: OrganizationAdmin, id: string): Promise<void> {
  if ((await store.organization(id)) === null) throw unknownOrganization(id);
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
