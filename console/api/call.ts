import { noteEnd } from "../session.ts";
import { ask, CallError, type AskOptions } from "./ask.ts";
import type { InputOf, ResultOf, VerbName } from "./verb-types.ts";

/** Runs a verb of the service. @throws CallError; an AbortError if `signal` is aborted */
export async function call<Name extends VerbName>(
  name: Name,
  input: InputOf<Name>,
  options: Omit<AskOptions, "token"> = {},
): Promise<ResultOf<Name>> {
  try {
    return (await ask(name.replaceAll(" ", "/"), input, options)) as ResultOf<Name>;
  } catch (error) {
    if (error instanceof CallError && error.code === "unauthenticated") await noteEnd();
    throw error;
  }
}
