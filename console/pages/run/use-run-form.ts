import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import type { CallError } from "../../api/ask.ts";
import { toCallError } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { type Problems, readTexts } from "../../parts/schema-fields.ts";
import { runLabel } from "./price-words.ts";
import type { RunContext } from "./run-address.ts";
import { lastRun, startRun, texts } from "./run-under-way.ts";
import { simulateInput } from "./simulate-fields.tsx";
import { placeRefusals, type Refusal, type SharedField } from "./union-of-inputs.ts";

type Plan = ResultOf<"workflow plan">;

/** What is run when the button is pressed. */
export interface ToRun {
  /** As it is shown: what stands on the button is what is agreed to. */
  readonly plan: Plan;
  readonly context: RunContext;
  readonly fields: readonly SharedField[];
  readonly functionId: string | undefined;
  /** Asks for the plan again. */
  readonly reload: () => void;
}

/** Why nothing was sent. */
export interface Objections {
  readonly problems: Problems;
  /** What is about no field. */
  readonly elsewhere: readonly string[];
  /** The plan with these inputs, if sources refuse them: without these, the run can be made all the same. */
  readonly plan?: Plan;
  /** It costs something else than stood on the button. */
  readonly isDearer?: boolean;
}

const NONE: Objections = { problems: {}, elsewhere: [] };

/** What stands in the form, and the way from there to a run: read, judged by the service, agreed on, sent once. */
export function useRunForm({ plan, context, fields, functionId, reload }: ToRun, onProblem: () => void) {
  const [objections, setObjections] = useState(NONE);
  const [isChecking, setChecking] = useState(false);
  const [error, setError] = useState<CallError>();
  // Set before anything is awaited, unlike a state: two presses are one.
  const isBusy = useRef(false);
  const isUnderWay = lastRun.value?.state === "under way";
  const { workflow, sources } = plan;
  const isSimulated = workflow.simulated;
  const ids = sources.map(({ source }) => source);
  const read = readTexts(fields, texts.value);
  const inputs = { ...read.values, ...(isSimulated && simulateInput(texts.value, ids)) };

  useEffect(() => setObjections(NONE), [workflow.workflow, context, ids.join()]);

  function edit(name: string, text: string): void {
    texts.value = { ...texts.value, [name]: text };
    const { [name]: _, ...others } = objections.problems;
    setObjections({ problems: others, elsewhere: [] });
  }

  async function judge(): Promise<Objections> {
    if (Object.keys(read.problems).length > 0) return { problems: read.problems, elsewhere: [] };
    if (functionId !== undefined) return NONE;
    const judged = await call("workflow plan", { workflow: workflow.workflow, context, source: ids, inputs });
    const refusals = judged.sources.flatMap(({ source, input_problem }): Refusal[] =>
      input_problem === null ? [] : [{ source, ...input_problem }],
    );
    if (refusals.length > 0) return { ...placeRefusals(refusals, judged.sources), plan: judged };
    return { ...NONE, isDearer: runLabel(judged, "sources") !== runLabel(plan, "sources") };
  }

  async function submit(): Promise<void> {
    if (isBusy.current || isUnderWay) return;
    isBusy.current = true;
    setChecking(true);
    setError(undefined);
    try {
      const found = await judge();
      setObjections(found);
      if (found.isDearer === true) reload();
      else if (found.plan !== undefined || Object.keys(found.problems).length > 0) onProblem();
      else send();
    } catch (thrown) {
      setError(toCallError(thrown));
    } finally {
      isBusy.current = false;
      setChecking(false);
    }
  }

  function send(): void {
    void startRun({
      workflow: workflow.workflow,
      isSimulated,
      context,
      sources: sources.map(({ source, title, timeout_ms }) => ({
        id: source,
        title: title ?? source,
        timeoutMs: timeout_ms,
      })),
      functionId,
      inputs,
    });
  }

  return { ids, inputs, objections, error, isChecking, isUnderWay, edit, submit, send };
}
