import { useEffect, useRef, useState } from "preact/hooks";
import { callVerb } from "../../api/call-verb.ts";
import type { CallError } from "../../api/send-request.ts";
import { toCallError } from "../../api/use-verb.ts";
import { logins } from "../../session.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { type Problems, readTexts, type Texts } from "../../parts/form-fields.ts";
import { runLabel } from "./price-words.ts";
import type { RunContext } from "./run-address.ts";
import { type RunParameters, lastRun, startRun, texts } from "./current-run.ts";
import { simulateInput } from "./simulate-fields.tsx";
import { inputsOf, assignRefusals, type Refusal, type SharedField } from "./union-of-inputs.ts";

type Plan = ResultOf<"workflow plan">;

/** The parameters of the run that the button starts. */
export interface ToRun {
  /** The plan as shown: pressing the button agrees to the price on it. */
  readonly plan: Plan;
  readonly context: RunContext;
  readonly fields: readonly SharedField[];
  readonly functionId: string | undefined;
  /** Requests the plan again. */
  readonly reload: () => void;
}

/** The reasons why nothing was sent. */
export interface Objections {
  readonly problems: Problems;
  /** Messages that belong to no field. */
  readonly elsewhere: readonly string[];
  /** The plan with these inputs, if some sources refuse them. The run can be made without those sources. */
  readonly plan?: Plan;
  /** The price differs from the price on the button. */
  readonly isDearer?: boolean;
}

/** The objections to a form, with the state of the form at that time. */
interface Judged {
  readonly key: string;
  readonly texts: Texts;
  readonly objections: Objections;
}

const NONE: Objections = { problems: {}, elsewhere: [] };

/** The steps from the form to a run: read the fields, let the service check them, confirm the price, send once. */
export function useRunForm({ plan, context, fields, functionId, reload }: ToRun, onProblem: () => void) {
  const [judged, setJudged] = useState<Judged>();
  const [isChecking, setChecking] = useState(false);
  const [error, setError] = useState<CallError>();
  // After a new login the message that nobody is logged in is out of date.
  useEffect(() => setError((last) => (last?.code === "unauthenticated" ? undefined : last)), [logins.value]);
  // A ref and not a state, because it must be set before the first `await`: a double click starts one run.
  const isBusy = useRef(false);
  const isRunning = lastRun.value?.state === "under way";
  const { workflow, sources } = plan;
  const isSimulated = workflow.simulated;
  const ids = sources.map(({ source }) => source);
  const read = readTexts(fields, texts.value);
  const inputs = { ...inputsOf(read.values), ...(isSimulated && simulateInput(texts.value, ids)) };
  const toAsk: RunParameters = {
    workflow: workflow.workflow,
    isSimulated,
    context,
    sources: sources.map(({ source, title, timeout_ms: timeoutMs }) => ({
      id: source,
      title: title ?? source,
      timeoutMs,
    })),
    functionId,
    inputs,
  };
  const place = JSON.stringify([workflow.workflow, context, ids, functionId]);
  const key = `${place} ${JSON.stringify(texts.value)}`;

  function edit(name: string, text: string): void {
    texts.value = { ...texts.value, [name]: text };
  }

  async function judge(): Promise<Objections> {
    if (Object.keys(read.problems).length > 0) return { problems: read.problems, elsewhere: [] };
    if (functionId !== undefined) return NONE;
    const found = await callVerb("workflow plan", { workflow: workflow.workflow, context, source: ids, inputs });
    const refusals = found.sources.flatMap(({ source, input_problem }): Refusal[] =>
      input_problem === null ? [] : [{ source, ...input_problem }],
    );
    if (refusals.length > 0) return { ...assignRefusals(refusals, found.sources), plan: found };
    return { ...NONE, isDearer: runLabel(found, "sources") !== runLabel(plan, "sources") };
  }

  /** With `without`, the run starts although sources refuse the inputs: the plan names them and its price. */
  async function submit(without?: Plan): Promise<void> {
    if (isBusy.current || isRunning) return;
    isBusy.current = true;
    setChecking(true);
    setError(undefined);
    try {
      const objections = await judge();
      setJudged({ key, texts: texts.peek(), objections });
      if (objections.isDearer === true) reload();
      else if (isAgreed(objections, without)) void startRun(toAsk);
      else onProblem();
    } catch (thrown) {
      setError(toCallError(thrown));
    } finally {
      isBusy.current = false;
      setChecking(false);
    }
  }

  return { ids, inputs, objections: stillTrue(judged, key, place), error, isChecking, isRunning, edit, submit };
}

/** Whether there is no objection, or only those that the person has seen and accepted. */
function isAgreed({ plan, problems }: Objections, without: Plan | undefined): boolean {
  if (plan === undefined) return Object.keys(problems).length === 0;
  return without !== undefined && agreement(plan) === agreement(without);
}

function agreement(plan: Plan): string {
  const refusing = plan.sources.filter(({ input_problem: problem }) => problem !== null);
  return [runLabel(plan, "sources"), ...refusing.map(({ source }) => source)].join(" ");
}

/**
 * The objections that still hold. After a change of the form only the problems of unchanged fields hold, and nothing
 * can be accepted.
 */
function stillTrue(judged: Judged | undefined, key: string, place: string): Objections {
  if (judged === undefined || !judged.key.startsWith(`${place} `)) return NONE;
  if (judged.key === key) return judged.objections;
  const same = Object.entries(judged.objections.problems).filter(
    ([name]) => (judged.texts[name] ?? "") === (texts.value[name] ?? ""),
  );
  return { ...NONE, problems: Object.fromEntries(same) };
}
