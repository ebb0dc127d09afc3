import { noteEnd } from "../session.ts";
import { ask, CallError, type AskOptions } from "./ask.ts";
import { askByEvents } from "./ask-by-events.ts";
import type { InputOf, ResultOf, VerbName } from "./verb-types.ts";
import type { EndedCall } from "./verbs.ts";

/** Runs a verb of the service. @throws CallError; an AbortError if `signal` is aborted */
export async function call<Name extends VerbName>(
  name: Name,
  input: InputOf<Name>,
  options: Omit<AskOptions, "token"> = {},
): Promise<ResultOf<Name>> {
  return notingEnd(ask(pathOf(name), input, options) as Promise<ResultOf<Name>>);
}

/** Calls a verb that starts a run, and reports each call of the run as it ends. @throws CallError */
export async function callTelling<Name extends "workflow run" | "function run">(
  name: Name,
  input: InputOf<Name>,
  ended: (call: EndedCall) => void,
): Promise<ResultOf<Name>> {
  return notingEnd(askByEvents(pathOf(name), input, ended) as Promise<ResultOf<Name>>);
}

function pathOf(name: VerbName): string {
  return name.replaceAll(" ", "/");
}

async function notingEnd<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CallError && error.code === "unauthenticated") await noteEnd();
    throw error;
  }
}
