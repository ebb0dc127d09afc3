import { OperatorError } from "../terms/operator-error.ts";
import { didYouMeanAnyOf } from "../terms/text/nearest.ts";
import type { FunctionListing, SourceListing } from "./ports.ts";

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
