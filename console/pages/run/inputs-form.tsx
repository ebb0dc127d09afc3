import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import type { CallError } from "../../api/ask.ts";
import { toCallError } from "../../api/use-verb.ts";
import { Button } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Failure } from "../../parts/failure.tsx";
import { type Problems, readTexts, toText } from "../../parts/schema-fields.ts";
import { SchemaForm } from "../../parts/schema-form.tsx";
import { mayUse, session } from "../../session.ts";
import { CopyAs } from "./copy-as.tsx";
import { runLabel } from "./price-words.ts";
import { linkWith, type RunContext } from "./run-address.ts";
import { lastRun, startRun, texts } from "./run-under-way.ts";
import { SimulateFields, simulateInput } from "./simulate-fields.tsx";
import { placeRefusals, type Refusal, type SharedField, withExamples } from "./union-of-inputs.ts";

interface InputsFormProps {
  readonly plan: ResultOf<"workflow plan">;
  readonly context: RunContext;
  readonly fields: readonly SharedField[];
  readonly functionId: string | undefined;
  readonly functionExample?: Readonly<Record<string, unknown>> | undefined;
}

interface Found {
  readonly problems: Problems;
  readonly elsewhere: readonly string[];
  /** The plan with these inputs, if the service has judged them: then the run can be made all the same. */
  readonly plan?: ResultOf<"workflow plan">;
}

const NOTHING_FOUND: Found = { problems: {}, elsewhere: [] };

/** The inputs of all chosen sources in one form, and the button that runs them. */
export function InputsForm({ plan, context, fields, functionId, functionExample }: InputsFormProps) {
  const [found, setFound] = useState(NOTHING_FOUND);
  const [isChecking, setChecking] = useState(false);
  const [error, setError] = useState<CallError>();
  const form = useRef<HTMLFormElement>(null);
  // Set before anything is awaited, unlike a state: two presses are one.
  const isBusy = useRef(false);
  const isUnderWay = lastRun.value?.state === "under way";
  const { workflow, organization, sources } = plan;
  const isSimulated = workflow.simulated;
  const { values: typed, problems: unread } = readTexts(fields, texts.value);
  const ids = sources.map(({ source }) => source);
  const values = { ...typed, ...(isSimulated && simulateInput(texts.value, ids)) };
  const verb = functionId === undefined ? "workflow run" : "function run";

  useEffect(() => setFound(NOTHING_FOUND), [workflow.workflow, context, ids.join()]);

  function edit(name: string, text: string): void {
    texts.value = { ...texts.value, [name]: text };
    const { [name]: _, ...others } = found.problems;
    setFound({ problems: others, elsewhere: [] });
  }

  async function check(): Promise<Found> {
    if (Object.keys(unread).length > 0) return { problems: unread, elsewhere: [] };
    if (functionId !== undefined) return NOTHING_FOUND;
    const asked = { workflow: workflow.workflow, context, source: ids, inputs: values };
    const judged = await call("workflow plan", asked);
    const refusals = judged.sources.flatMap(({ source, input_problem }): Refusal[] =>
      input_problem === null ? [] : [{ source, ...input_problem }],
    );
    return { ...placeRefusals(refusals, judged.sources), ...(refusals.length > 0 && { plan: judged }) };
  }

  async function submit(): Promise<void> {
    if (isBusy.current || isUnderWay) return;
    isBusy.current = true;
    setChecking(true);
    setError(undefined);
    try {
      const now = await check();
      setFound(now);
      if (Object.keys(now.problems).length > 0 || now.elsewhere.length > 0) return focusProblem();
      run();
    } catch (thrown) {
      setError(toCallError(thrown));
    } finally {
      isBusy.current = false;
      setChecking(false);
    }
  }

  function run(): void {
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
      inputs: values,
    });
  }

  function focusProblem(): void {
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  }

  const examples = [
    ...sources.map(({ example }) => example as Readonly<Record<string, unknown>>),
    ...(functionExample ? [functionExample] : []),
  ];
  const config =
    functionId === undefined
      ? { context, sources: Object.fromEntries(ids.map((id) => [id, true])) }
      : { context, data_func: functionId };
  const refused = found.plan?.sources.filter(({ input_problem }) => input_problem !== null) ?? [];
  return (
    <form
      ref={form}
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        if (mayUse(verb)) void submit();
      }}
    >
      {fields.length === 0 ? (
        <p class="dim">Nothing has to be filled in.</p>
      ) : (
        <SchemaForm
          fields={fields}
          texts={texts.value}
          onText={edit}
          problems={{ ...found.problems }}
          {...(functionId === undefined && {
            about: (field) => <Readers field={field as SharedField} of={sources.length} />,
          })}
        />
      )}
      {isSimulated && ids.length > 0 && <SimulateFields texts={texts.value} onText={edit} sources={sources} />}
      <div class="beside">
        <Button kind="quiet" onClick={() => (texts.value = withExamples(texts.value, examples, toText))}>
          Fill in examples
        </Button>
        <Button kind="quiet" onClick={() => (texts.value = {})}>
          Clear
        </Button>
        <Copy
          text={linkWith(Object.fromEntries(fields.map(({ name }) => [name, texts.value[name] ?? ""])))}
          label="Copy a link with these inputs"
        />
      </div>
      {refused.length > 0 && (
        <div class="run-refused" role="alert">
          <p>
            <strong>Nothing was sent.</strong>{" "}
            {refused.length === 1 ? "One source does" : `${refused.length} sources do`} not take these inputs.
          </p>
          {found.elsewhere.length > 0 && (
            <ul>
              {found.elsewhere.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          )}
          {refused.length < sources.length && (
            <Button onClick={run} disabled={isUnderWay}>
              {`${runLabel(found.plan!, "sources")}, without ${refused.length === 1 ? "this one" : "these"}`}
            </Button>
          )}
        </div>
      )}
      {error && <Failure error={error} />}
      {plan.problem !== null && <p class="field-problem">{plan.problem}</p>}
      {mayUse(verb) ? (
        <div class={isSimulated ? "run-go run-go-simulated" : "run-go"}>
          <Button kind="primary" type="submit" isBusy={isChecking || isUnderWay} disabled={plan.problem !== null}>
            {isUnderWay ? "Under way…" : runLabel(plan, functionId === undefined ? "sources" : "function")}
          </Button>
          <span class="dim">
            {isSimulated ? "No vendor is asked, and nothing is billed." : `${organization} pays. `}
            {!isSimulated &&
              plan.unknown_cost.length > 0 &&
              `Nobody has said what these cost: ${plan.unknown_cost.join(", ")}.`}
          </span>
        </div>
      ) : (
        <p class="dim">
          {session.value?.console === "read_only"
            ? "This console is read-only, so nothing is run here. "
            : `${session.value?.name} has the role ${session.value?.role}; to run something takes the role operator. `}
          What stands here can be copied and given to somebody.
        </p>
      )}
      <CopyAs
        request={{
          workflow: workflow.workflow,
          path: functionId === undefined ? "/data" : "/func",
          body: { config, inputs: values },
        }}
      />
    </form>
  );
}

/** Which sources read a field, and which cannot do without it. */
function Readers({ field: { readBy, requiredBy }, of }: { readonly field: SharedField; readonly of: number }) {
  if (of === 1) return null;
  const isForAll = readBy.length === of;
  return (
    <>
      Read by{" "}
      {isForAll
        ? "all"
        : readBy.map((source, at) => (
            <>
              {at > 0 && ", "}
              <code>{source}</code>
            </>
          ))}
      {requiredBy.length > 0 && requiredBy.length < readBy.length && (
        <> (required by {requiredBy.length === 1 ? <code>{requiredBy[0]}</code> : requiredBy.length})</>
      )}
    </>
  );
}
