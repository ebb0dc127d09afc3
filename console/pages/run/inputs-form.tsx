import { useRef } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { CopyAs } from "../../parts/copy-as.tsx";
import { Failure } from "../../parts/failure.tsx";
import { toText } from "../../parts/form-fields.ts";
import { SchemaForm } from "../../parts/schema-form.tsx";
import { mayUse, session } from "../../session.ts";
import { FunctionCost, useFunctionCosts } from "../functions/function-cost.tsx";
import { runLabel } from "./price-words.ts";
import { Refused } from "./refused.tsx";
import { linkWith } from "./run-address.ts";
import { texts } from "./current-run.ts";
import { SimulateFields } from "./simulate-fields.tsx";
import { asFields, type SharedField, withExamples } from "./union-of-inputs.ts";
import { type ToRun, useRunForm } from "./use-run-form.ts";

interface InputsFormProps extends ToRun {
  /** Whether the plan belongs to the current address. */
  readonly isCurrent: boolean;
  /** Inputs from a case of the function. */
  readonly tried?: Readonly<Record<string, unknown>> | undefined;
}

/** One form for the inputs of all chosen sources, and the button that starts the run. */
export function InputsForm({ isCurrent, tried, ...toRun }: InputsFormProps) {
  const { plan, context, fields, functionId } = toRun;
  const form = useRef<HTMLFormElement>(null);
  const { ids, inputs, objections, error, isChecking, isRunning, edit, submit } = useRunForm(toRun, () =>
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()),
  );
  const { workflow, sources } = plan;
  const kind = functionId === undefined ? "sources" : "function";
  const mayRun = mayUse(kind === "sources" ? "workflow run" : "function run");
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
        if (mayRun && isCurrent && plan.problem === null) void submit();
      }}
    >
      {fields.length === 0 ? (
        <p class="dim">No inputs are needed.</p>
      ) : (
        <SchemaForm
          fields={fields}
          texts={texts.value}
          onText={edit}
          problems={objections.problems}
          {...(kind === "sources" && { about: (field) => <Readers field={field as SharedField} of={ids.length} /> })}
        />
      )}
      {workflow.simulated && ids.length > 0 && <SimulateFields texts={texts.value} onText={edit} sources={sources} />}
      <div class="beside">
        <Button
          kind="quiet"
          onClick={() => (texts.value = withExamples(texts.value, examplesOf(toRun, tried), toText))}
        >
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
      <Refused
        objections={objections}
        isBusy={isChecking}
        onRun={mayRun && isCurrent && !isRunning ? (without) => void submit(without) : undefined}
      />
      {error && <Failure error={error} />}
      {plan.problem !== null && <p class="field-problem">{plan.problem}</p>}
      {mayRun ? (
        <div class={workflow.simulated ? "run-go run-go-simulated" : "run-go"}>
          <Button
            kind="primary"
            type="submit"
            isBusy={isChecking || isRunning}
            disabled={plan.problem !== null || !isCurrent}
          >
            {isRunning ? "Running…" : runLabel(plan, kind)}
          </Button>
          <span class="dim">
            <WhoPays {...toRun} />
          </span>
        </div>
      ) : (
        <p class="dim">
          {session.value?.console === "read_only" ? (
            "This console is read-only, so it cannot start runs. "
          ) : (
            <>
              <bdi>{session.value?.name}</bdi> has the role {session.value?.role}; starting a run requires the role
              operator.{" "}
            </>
          )}
          The inputs can be copied as a link and shared.
        </p>
      )}
      <CopyAs
        request={{
          workflow: workflow.workflow,
          context,
          inputs,
          asks: functionId === undefined ? sources.filter(({ source }) => ids.includes(source)) : { functionId },
        }}
      />
    </form>
  );
}

/** Examples of the sources; for a function from its schema, else from a case. */
function examplesOf(
  { plan, fields, functionId }: ToRun,
  tried: InputsFormProps["tried"],
): readonly Readonly<Record<string, unknown>>[] {
  if (functionId === undefined) return plan.sources.map(({ example }) => example as Readonly<Record<string, unknown>>);
  const own = fields.flatMap(({ name, examples: [first] }) => (first === undefined ? [] : [[name, first] as const]));
  return [own.length > 0 || tried === undefined ? Object.fromEntries(own) : asFields(tried, fields)];
}

function WhoPays({ plan, functionId }: Pick<ToRun, "plan" | "functionId">) {
  const { workflow, organization, at_most, unknown_cost } = plan;
  if (workflow.simulated) return <>No vendor is called, and nothing is billed.</>;
  if (functionId !== undefined)
    return (
      <>
        <bdi>{organization}</bdi> pays for all calls of the function. Cost of a run: <CostOf id={functionId} />.
      </>
    );
  return (
    <>
      {at_most.length + unknown_cost.length > 0 && (
        <>
          <bdi>{organization}</bdi> pays.{" "}
        </>
      )}
      {unknown_cost.length > 0 && `The prices of these sources are unknown: ${unknown_cost.join(", ")}.`}
    </>
  );
}

function CostOf({ id }: { readonly id: string }) {
  return <FunctionCost of={useFunctionCosts(id)} />;
}

/** The sources that read a field, and those that require it. */
function Readers({ field: { readBy, requiredBy }, of }: { readonly field: SharedField; readonly of: number }) {
  if (of === 1) return null;
  return (
    <>
      Read by {readBy.length === of ? "all" : <Ids of={readBy} />}
      {requiredBy.length > 0 && requiredBy.length < readBy.length && (
        <>
          {" "}
          (required by <Ids of={requiredBy} />)
        </>
      )}
    </>
  );
}

function Ids({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      {of.map((id, at) => (
        <>
          {at > 0 && ", "}
          <code>{id}</code>
        </>
      ))}
    </>
  );
}
