import { useEffect, useMemo, useState } from "preact/hooks";
import { hrefOf } from "../../address.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { InputOf, ResultOf } from "../../api/verb-types.ts";
import { Act } from "../../parts/act.tsx";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { fieldsOf, readTexts, toText, type Problems, type SchemaField } from "../../parts/form-fields.ts";
import { SchemaForm } from "../../parts/schema-form.tsx";
import { Tree } from "../../parts/tree.tsx";
import { useSettled } from "../../parts/use-settled.ts";
import { Badge, Took } from "../../parts/values.tsx";
import { Before, Warning, type Workflow } from "./before-asking.tsx";
import { costText, type Planned } from "./charge-text.ts";
import type { Source } from "./source-facts.tsx";
import "./ask-once.css";

type Answer = ResultOf<"source run">;
export type Context = "dev" | "test" | "prod";

interface QuestionProps {
  readonly source: Source;
  readonly workflow: Workflow;
  readonly context: Context;
  /** Called when the cost with the first inputs is known, or known to be unavailable. */
  readonly onLoaded: () => void;
}

/** The inputs, the cost of a call with them, and the answer. */
export function Question({ source, workflow, context, onLoaded }: QuestionProps) {
  const fields = useMemo(() => fieldsOf(source.inputs), [source]);
  const [texts, setTexts] = useState(() => textsOf(exampleOf(source)));
  const [answer, setAnswer] = useState<Answer>();
  const { values, problems } = readTexts(fields, texts);
  const asked = { workflow: workflow.workflow, context, inputs: values };
  const toPlan = JSON.stringify({ ...asked, source: [source.source] });
  const [settled] = useSettled(toPlan, SETTLES_MS);
  const plan = useVerb("workflow plan", JSON.parse(settled) as InputOf<"workflow plan">);
  const planned = plan.result?.sources[0];
  const refused = plan.result?.problem ?? null;
  const isLoaded = plan.result !== undefined || plan.error !== undefined;
  useEffect(() => {
    if (isLoaded) onLoaded();
  }, [isLoaded]);
  return (
    <form class="stack ask-once" onSubmit={(event) => event.preventDefault()}>
      <SchemaForm
        fields={fields}
        texts={texts}
        problems={{ ...problemOf(planned, fields), ...problems }}
        onText={(name, text) => setTexts((before) => ({ ...before, [name]: text }))}
      />
      {plan.error && <Failure error={plan.error} />}
      {refused !== null && <p>{refused}</p>}
      {planned && <Before workflow={workflow} planned={planned} />}
      {planned && refused === null && Object.keys(problems).length === 0 && (
        <div class="beside">
          {settled === toPlan && !plan.isLoading ? (
            <Act
              verb="source run"
              input={{ ...asked, source: source.source }}
              label={labelOf(workflow, planned)}
              {...(!workflow.simulated && {
                asks: {
                  title: `Make a live call to ${source.title}?`,
                  says: <Warning source={source} workflow={workflow} planned={planned} />,
                },
              })}
              onBegin={() => setAnswer(undefined)}
              onDone={setAnswer}
            />
          ) : (
            // Disabled until the cost with these inputs is known.
            <Button disabled>{labelOf(workflow, planned)}</Button>
          )}
        </div>
      )}
      {answer && <Answered answer={answer} source={source.source} />}
    </form>
  );
}

/** Not every key press asks for a plan. */
const SETTLES_MS = 250;

/** The objection of the service to an input, at its field. */
function problemOf(planned: Planned | undefined, fields: readonly SchemaField[]): Problems {
  const problem = planned?.input_problem;
  const name = problem?.path.split("/")[1];
  return problem && fields.some((field) => field.name === name) ? { [name!]: problem.message } : {};
}

function labelOf({ simulated }: Workflow, planned: Planned): string {
  const { short } = costText(planned);
  return simulated ? "Run simulated" : `Make one call${short === null ? "" : `: ${short}`}`;
}

/** The declared live inputs, else those of the first case with a record, else examples. */
function exampleOf({ live_inputs: live, cases, fields }: Source): Readonly<Record<string, unknown>> {
  const examples = fields.inputs.flatMap(({ name, examples: [one] }) => (one === undefined ? [] : [[name, one]]));
  return live ?? cases.find(({ expects }) => expects === "record")?.inputs ?? Object.fromEntries(examples);
}

function textsOf(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toText(value)]));
}

function Answered({ answer, source }: { readonly answer: Answer; readonly source: string }) {
  const { status, output, transaction_id: id } = answer;
  const kind = status?.success !== true ? "failed" : status.match ? "found" : "no_record";
  return (
    <section class="stack ask-answer" aria-label="Answer" aria-live="polite">
      <p class="beside">
        <Outcome kind={kind} />
        {answer.mode === "simulated" && <Badge kind="simulated">simulated</Badge>}
        {status && <Took ms={status.response_time_ms} />}
        {id !== null && (
          <a href={hrefOf(`/runs/${encodeURIComponent(id)}`)}>
            The run <code>{id}</code>
          </a>
        )}
      </p>
      {status && <p>{status.message}</p>}
      {output && Object.keys(output).length > 0 && <Tree value={output} label={`Output of ${source}`} />}
    </section>
  );
}
