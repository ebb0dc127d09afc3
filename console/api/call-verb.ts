import { onSessionEnded } from "../session.ts";
import { sendRequest, CallError, type RequestOptions } from "./send-request.ts";
import { sendRequestWithEvents } from "./send-request-with-events.ts";
import type { InputOf, ResultOf, VerbName } from "./verb-types.ts";
import type { EndedCall } from "./verbs.ts";

/** Runs a verb of the service. @throws CallError; an AbortError if `signal` is aborted */
export async function callVerb<Name extends VerbName>(
  name: Name,
  input: InputOf<Name>,
  options: Omit<RequestOptions, "token"> = {},
): Promise<ResultOf<Name>> {
  return detectSessionEnd(sendRequest(pathOf(name), input, options) as Promise<ResultOf<Name>>);
}

/** Calls a verb that starts a run, and reports each call of the run as it ends. @throws CallError */
export async function callVerbWithEvents<Name extends "workflow run" | "function run">(
  name: Name,
  input: InputOf<Name>,
  ended: (call: EndedCall) => void,
): Promise<ResultOf<Name>> {
  return detectSessionEnd(sendRequestWithEvents(pathOf(name), input, ended) as Promise<ResultOf<Name>>);
}

export function pathOf(name: VerbName): string {
  return name.replaceAll(" ", "/");
}

/** Shows the login form over the page if the answer says that the session has ended. */
export async function detectSessionEnd<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CallError && error.code === "unauthenticated") await onSessionEnded();
    throw error;
  }
}
