import { signal } from "@preact/signals";
import type { CallError } from "../../api/send-request.ts";
import { callVerbWithEvents } from "../../api/call-verb.ts";
import { toCallError } from "../../api/use-verb.ts";
import type { EndedCall } from "../../api/verbs.ts";
import { whenOtherUser } from "../../session.ts";
import type { RunContext } from "./run-address.ts";

/** The parameters of a run when the button was pressed. */
export interface RunParameters {
  readonly workflow: string;
  readonly isSimulated: boolean;
  readonly context: RunContext;
  readonly sources: readonly { readonly id: string; readonly title: string; readonly timeoutMs: number }[];
  /** Set instead of `sources`. */
  readonly functionId: string | undefined;
  readonly inputs: Readonly<Record<string, unknown>>;
}

export type Answer = Readonly<Record<string, unknown>>;

export interface Run {
  readonly parameters: RunParameters;
  /** A time of `performance.now()`. */
  readonly startedAt: number;
  readonly state: "under way" | "answered" | "failed";
  /** The finished calls in order of their end. */
  readonly ended: readonly EndedCall[];
  readonly answer?: Answer;
  readonly error?: CallError;
}

/** The last run and the texts in the fields. They are kept when the page is left, so that a person can return. */
export const lastRun = signal<Run | undefined>(undefined);
export const texts = signal<Readonly<Record<string, string>>>({});

whenOtherUser(() => {
  lastRun.value = undefined;
  texts.value = {};
});

/** Starts a run, unless one is in progress: a double click starts only one. */
export async function startRun(parameters: RunParameters): Promise<void> {
  if (lastRun.peek()?.state === "under way") return;
  let run: Run = { parameters, startedAt: performance.now(), state: "under way", ended: [] };
  lastRun.value = run;
  const change = (changes: Partial<Run>) => {
    if (lastRun.peek() === run) lastRun.value = run = { ...run, ...changes };
  };
  try {
    const answer = await ask(parameters, (call) => change({ ended: [...run.ended, call] }));
    change({ state: "answered", answer });
  } catch (thrown) {
    change({ state: "failed", error: toCallError(thrown) });
  }
}

async function ask(
  { workflow, context, sources, functionId, inputs }: RunParameters,
  ended: (call: EndedCall) => void,
): Promise<Answer> {
  const given = { workflow, context, inputs: { ...inputs } };
  if (functionId !== undefined)
    return (await callVerbWithEvents("function run", { ...given, function: functionId }, ended)) as Answer;
  const source = sources.map(({ id }) => id);
  return (await callVerbWithEvents("workflow run", { ...given, source }, ended)) as unknown as Answer;
}

/** Whether the run may have started although its request failed. Then it must not be repeated without a check. */
export function mayHaveBeenMade({ error }: Run): boolean {
  return error !== undefined && mayHaveStarted(error);
}

export function mayHaveStarted({ code }: CallError): boolean {
  return !["invalid", "usage", "not_found", "refused", "forbidden", "unauthenticated"].includes(code);
}
