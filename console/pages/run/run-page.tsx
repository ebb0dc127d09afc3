import { useEffect, useState } from "preact/hooks";
import { useTogether } from "../../api/use-together.ts";
import { useVerb } from "../../api/use-verb.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { later } from "../../parts/later.tsx";
import { hrefOfObject } from "../../parts/object-link.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Prose } from "../../parts/prose.tsx";
import { toText } from "../../parts/form-fields.ts";
import { address, setQuery } from "../../address.ts";
import { mayUse } from "../../session.ts";
import { Choose, sensibleSources } from "./choose-sources.tsx";
import { ChooseWorkflow } from "./choose-workflow.tsx";
import type { RunAFileProps } from "./file/run-a-file.tsx";
import { InputsForm } from "./inputs-form.tsx";
import { PlannedSources } from "./planned-sources.tsx";
import { chooseSources, readRunAddress, takeInputsOfLink } from "./run-address.ts";
import { RunResult } from "./run-result.tsx";
import { lastRun, texts } from "./current-run.ts";
import { unionOfInputs, wholeOf, withExamples } from "./union-of-inputs.ts";
import "./run-page.css";

/** Runs sources or a function in the way a client of a workflow would. */
export function RunPage() {
  const chosen = readRunAddress();
  const { workflow, context = "dev", sources, functionId, kind } = chosen;
  const planned = useVerb("workflow plan", workflow === undefined ? null : { workflow, context, source: [...sources] });
  // While a new plan loads, the previous plan stays, but not that of another workflow with other prices.
  const plan = planned.result?.workflow.workflow === workflow ? planned.result : undefined;
  const isCurrent =
    plan !== undefined &&
    plan.context === context &&
    plan.sources.map(({ source }) => source).join() === sources.join();
  // On a narrow screen the list of sources stands above the plan and would shift it.
  const [areSourcesLoaded, setSourcesLoaded] = useState(false);
  const isWhole = useTogether(kind === "function" || areSourcesLoaded || undefined);
  useInputsOfLink();
  useExamples(chosen.withExamples, isCurrent ? plan.sources : undefined);
  return (
    <Page title="Run" about="Call several sources at once, or run a function, as a client of a workflow would.">
      <Mode {...(plan && { isSimulated: plan.workflow.simulated, organization: plan.organization })} />
      <ChooseWorkflow workflow={workflow} context={context} plan={plan} />
      {planned.error && <Failure error={planned.error} retry={planned.reload} />}
      <div class="run-columns">
        <Section title="What to run">
          <Choose {...chosen} onLoaded={() => setSourcesLoaded(true)} />
        </Section>
        <div class="stack">
          {isWhole && plan !== undefined && kind === "sources" && (
            <Section title="Planned calls">
              {sources.length === 0 ? (
                <Try isSimulated={plan.workflow.simulated} wanted={chosen.withExamples} />
              ) : (
                <>
                  <PlannedSources plan={plan} />
                  <h3>Inputs</h3>
                  <div class="beside" role="group" aria-label="Inputs of">
                    <Button pressed={!chosen.fromFile} onClick={() => setQuery({ from: null })}>
                      One run
                    </Button>
                    <Button pressed={chosen.fromFile} onClick={() => setQuery({ from: "file" })}>
                      A file
                    </Button>
                  </div>
                  {chosen.fromFile ? (
                    <RunAFile workflow={plan.workflow.workflow} context={context} sources={sources} />
                  ) : (
                    <InputsForm
                      plan={plan}
                      isCurrent={isCurrent}
                      context={context}
                      fields={unionOfInputs(plan.sources)}
                      functionId={undefined}
                      reload={planned.reload}
                    />
                  )}
                </>
              )}
            </Section>
          )}
          {plan !== undefined && kind === "function" && functionId !== "none" && functionId !== undefined && (
            <FunctionForm
              plan={plan}
              isCurrent={isCurrent}
              context={context}
              functionId={functionId}
              reload={planned.reload}
            />
          )}
          {lastRun.value !== undefined && !chosen.fromFile && <RunResult run={lastRun.value} />}
        </div>
      </div>
    </Page>
  );
}

const RunAFile = later<RunAFileProps>(async () => (await import("../seldom-shown.ts")).RunAFile);

/** Shows prominently whether the run is live or simulated. */
function Mode({ isSimulated, organization }: { readonly isSimulated?: boolean; readonly organization?: string }) {
  // Reserves its height until the mode is known, so that the layout does not jump.
  if (isSimulated === undefined) return <p class="run-mode run-mode-waits">&nbsp;</p>;
  if (!isSimulated && !mayUse("workflow run"))
    return (
      <p class="run-mode">
        <strong>Live.</strong> You can look at the plan and its price, but not start a run.
      </p>
    );
  return isSimulated ? (
    <p class="run-mode run-mode-simulated">
      <strong>Simulated.</strong> No vendor is called, nothing is billed, and the data in the answer is invented.
    </p>
  ) : (
    <p class="run-mode run-mode-live">
      <strong>Live.</strong> Vendors are called and may bill{" "}
      <bdi class="run-mode-name" title={organization}>
        {organization}
      </bdi>
    </p>
  );
}

function Try({ isSimulated, wanted }: { readonly isSimulated: boolean; readonly wanted: boolean }) {
  const { result } = useVerb("source list", {});
  const five = sensibleSources(result?.sources ?? [], isSimulated);
  const isLoaded = five.length > 0;
  useEffect(() => {
    if (wanted && isLoaded) chooseSources(five, { withExamples: true });
  }, [wanted, isLoaded]);
  return (
    <Empty title="No sources are selected." command="datarun source list">
      Select the sources to call.{" "}
      {isLoaded && (
        <Button onClick={() => chooseSources(five, { withExamples: true })}>
          {`Try ${five.length === 1 ? "one source" : `${five.length} sources`} with examples`}
        </Button>
      )}
    </Empty>
  );
}

interface FunctionFormProps extends Omit<Parameters<typeof InputsForm>[0], "fields" | "tried"> {
  readonly functionId: string;
}

function FunctionForm({ functionId, plan, ...rest }: FunctionFormProps) {
  const { result, error, reload } = useVerb("function show", { function: functionId });
  if (error) return <Failure error={error} retry={reload} />;
  if (result?.function !== functionId) return null;
  const { title, description, inputs, cases } = result;
  const declared = unionOfInputs([{ source: functionId, inputs: inputs ?? {} }]);
  return (
    <Section title={title}>
      {description !== null && <About id={functionId} text={description} />}
      <InputsForm
        {...rest}
        plan={{ ...plan, sources: [] }}
        fields={inputs === null ? [wholeOf(functionId)] : declared}
        functionId={functionId}
        tried={cases.find(({ expects }) => expects === "success")?.inputs}
      />
    </Section>
  );
}

/** Shortens a description so that the form stays visible. */
function About({ id, text }: { readonly id: string; readonly text: string }) {
  const [first = "", ...others] = text.trim().split(/\n[ \t]*\r?\n/);
  return (
    <div class="stack-tight">
      <Prose>{first}</Prose>
      {others.length > 0 && <a href={hrefOfObject("function", id)}>Full description</a>}
    </div>
  );
}

/** Fills in the inputs of a link, and removes them from the address. */
function useInputsOfLink(): void {
  const { path, query } = address();
  useEffect(() => {
    const given = takeInputsOfLink();
    if (given !== null) texts.value = given;
  }, [path, query]);
}

/** Fills in examples only once, so that cleared fields stay empty. */
function useExamples(wanted: boolean, sources: readonly { readonly example: unknown }[] | undefined): void {
  const isReady = wanted && sources !== undefined && sources.length > 0;
  useEffect(() => {
    if (!isReady) return;
    texts.value = withExamples(
      texts.value,
      sources.map(({ example }) => example as Readonly<Record<string, unknown>>),
      toText,
    );
    setQuery({ with: null });
  }, [isReady]);
}
