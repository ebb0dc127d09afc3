import { useEffect, useRef, useState } from "preact/hooks";
import { PAGE_MAX, readPages } from "../../api/read-pages.ts";
import { useWholeList } from "../../api/use-list.ts";
import type { ResultOf, RowOf } from "../../api/verb-types.ts";
import { toCallError, useVerb } from "../../api/use-verb.ts";
import type { CallError } from "../../api/ask.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { NEWEST, OrganizationField } from "../../parts/organization-field.tsx";
import { chooseContext, chooseWorkflow, CONTEXTS, type RunContext } from "./run-address.ts";

type Workflow = RowOf<"workflow list", "workflows">;

interface ChooseWorkflowProps {
  readonly workflow: string | undefined;
  readonly context: RunContext;
  readonly plan: ResultOf<"workflow plan"> | undefined;
}

/** In whose name is asked, and for what. Without a choice in the address, the safest one is made: a simulated workflow. */
export function ChooseWorkflow({ workflow, context, plan }: ChooseWorkflowProps) {
  const organizations = useVerb("org list", { limit: NEWEST });
  const [withoutOne, setWithoutOne] = useState<string>();
  const [error, setError] = useState<CallError>();
  const known = organizations.result?.organizations;
  // A workflow that the address names again, after Back, is of another organization.
  const without = workflow === undefined ? withoutOne : undefined;
  const org = without ?? plan?.organization_tuid;
  const workflows = useWholeList("workflow list", org === undefined ? null : { org }, "workflows");
  /** The last choice of an organization, as long as its workflows are asked for. */
  const choosing = useRef<AbortController>(undefined);
  useEffect(() => () => choosing.current?.abort(), []);

  async function choose(organization: string): Promise<void> {
    choosing.current?.abort();
    const { signal } = (choosing.current = new AbortController());
    setError(undefined);
    try {
      const best = await safestOf(organization, signal);
      if (signal.aborted) return;
      setWithoutOne(best === undefined ? organization : undefined);
      // With none, nothing can be run: the one chosen before is of another organization.
      chooseWorkflow(best?.workflow ?? null);
    } catch (thrown) {
      if (!signal.aborted) setError(toCallError(thrown));
    } finally {
      if (choosing.current?.signal === signal) choosing.current = undefined;
    }
  }

  const first = (known?.find(({ disabled }) => !disabled) ?? known?.[0])?.organization_tuid;
  useEffect(() => {
    // What somebody has chosen before the organizations were there is not chosen again for them.
    if (workflow === undefined && without === undefined && first !== undefined && choosing.current === undefined)
      void choose(first);
  }, [workflow, first]);

  if (known?.length === 0)
    return (
      <Empty title="There is no organization yet." command="datarun org create Acme">
        Runs are made in the name of an organization, with one of its workflows.
      </Empty>
    );
  const choices = without !== undefined ? [] : (workflows.rows ?? []);
  return (
    <div class="stack">
      <div class="run-choice">
        <OrganizationField value={org ?? ""} onValue={(id) => void choose(id)} />
        <SelectField
          label="Workflow"
          value={workflow ?? ""}
          onValue={(id) => {
            // A later choice than that of an organization.
            choosing.current?.abort();
            chooseWorkflow(id);
          }}
          disabled={without !== undefined}
          choices={withCurrent(
            choices.map((one) => ({ value: one.workflow, label: labelOf(one) })),
            workflow,
            plan && labelOf(plan.workflow),
          )}
        />
        <SelectField
          label="Context"
          value={context}
          onValue={(value) => chooseContext(value as RunContext)}
          choices={CONTEXTS.map((value) => ({ value, label: value }))}
        />
      </div>
      {error && <Failure error={error} />}
      {without !== undefined && (
        <Empty
          title="This organization has no workflow yet."
          command={`datarun workflow create --org ${without} --name trial --simulated`}
        >
          With a simulated one, every source can be tried without a key or a bill.
        </Empty>
      )}
    </div>
  );
}

/** A simulated one, however far below; otherwise the newest that can be used. */
async function safestOf(org: string, signal: AbortSignal): Promise<Workflow | undefined> {
  let best: Workflow | undefined;
  for await (const { rows } of readPages("workflow list", { org, limit: PAGE_MAX }, "workflows", { signal })) {
    best = safest(best === undefined ? rows : [best, ...rows]);
    if (best !== undefined && isSafe(best)) break;
  }
  return best;
}

function safest(workflows: readonly Workflow[]): Workflow | undefined {
  return workflows.find(isSafe) ?? workflows.find(({ disabled }) => !disabled) ?? workflows[0];
}

function isSafe({ simulated, disabled }: Workflow): boolean {
  return simulated && !disabled;
}

function labelOf({
  workflow,
  name,
  simulated,
  disabled,
}: Pick<Workflow, "workflow" | "name" | "simulated" | "disabled">) {
  return `${name === "" ? workflow : name} (${simulated ? "simulated" : "live"}${disabled ? ", disabled" : ""})`;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** What the address names is shown as chosen before the list is there, and if it is not on the list. */
function withCurrent(
  choices: readonly Choice[],
  value: string | undefined,
  label: string | undefined,
): readonly Choice[] {
  if (value === undefined) return [{ value: "", label: "" }, ...choices];
  return choices.some((one) => one.value === value) ? choices : [{ value, label: label ?? value }, ...choices];
}
