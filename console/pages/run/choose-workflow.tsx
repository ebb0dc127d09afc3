import { useEffect, useRef, useState } from "preact/hooks";
import { PAGE_MAX, readPages } from "../../api/read-pages.ts";
import type { ResultOf, RowOf } from "../../api/verb-types.ts";
import { toCallError, useVerb } from "../../api/use-verb.ts";
import type { CallError } from "../../api/send-request.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { NEWEST, OrganizationField } from "../../parts/organization-field.tsx";
import { nameAndMode, WorkflowField } from "../../parts/workflow-field.tsx";
import { chooseContext, chooseWorkflow, CONTEXTS, type RunContext } from "./run-address.ts";

type Workflow = RowOf<"workflow list", "workflows">;

interface ChooseWorkflowProps {
  readonly workflow: string | undefined;
  readonly context: RunContext;
  readonly plan: ResultOf<"workflow plan"> | undefined;
}

/** The newest organizations that are searched for a simulated workflow. */
const SEARCHED_MAX = 10;

/**
 * Chooses the organization, workflow and context of a run. Without a workflow in the address, the safest one is chosen:
 * a simulated one, also of another organization than the newest.
 */
export function ChooseWorkflow({ workflow, context, plan }: ChooseWorkflowProps) {
  const organizations = useVerb("org list", { limit: NEWEST });
  const [withoutOne, setWithoutOne] = useState<string>();
  const [error, setError] = useState<CallError>();
  const known = organizations.result?.organizations;
  // After Back, the address may name a workflow of another organization again.
  const without = workflow === undefined ? withoutOne : undefined;
  const org = without ?? plan?.organization_tuid;
  /** Cancels the search for a workflow after an organization was chosen. */
  const choosing = useRef<AbortController>(undefined);
  useEffect(() => () => choosing.current?.abort(), []);

  /** Chooses the safest workflow of the first of these organizations that has a safe one, or else of the first. */
  async function choose(candidates: readonly string[]): Promise<void> {
    choosing.current?.abort();
    const { signal } = (choosing.current = new AbortController());
    setError(undefined);
    try {
      let best: Workflow | undefined;
      for (const candidate of candidates) {
        const own = await safestOf(candidate, signal);
        if (signal.aborted) return;
        if (candidate === candidates[0] || (own !== undefined && isSafe(own))) best = own;
        if (best !== undefined && isSafe(best)) break;
      }
      setWithoutOne(best === undefined ? candidates[0] : undefined);
      // Without a workflow nothing can run: the previous workflow belongs to another organization.
      chooseWorkflow(best?.workflow ?? null);
    } catch (thrown) {
      if (!signal.aborted) setError(toCallError(thrown));
    } finally {
      if (choosing.current?.signal === signal) choosing.current = undefined;
    }
  }

  const enabled = known?.filter(({ disabled }) => !disabled) ?? [];
  const candidates = (enabled.length > 0 ? enabled : (known ?? [])).slice(0, SEARCHED_MAX);
  const first = candidates[0]?.organization_tuid;
  useEffect(() => {
    // Does not replace a choice that was made before the organizations loaded.
    if (workflow === undefined && without === undefined && first !== undefined && choosing.current === undefined)
      void choose(candidates.map(({ organization_tuid: id }) => id));
  }, [workflow, first]);

  if (known?.length === 0)
    return (
      <Empty title="There is no organization yet." command="datarun org create Acme">
        Every run belongs to an organization and one of its workflows.
      </Empty>
    );
  return (
    <div class="stack">
      <div class="run-choice">
        <OrganizationField value={org ?? ""} onValue={(id) => void choose([id])} />
        <WorkflowField
          org={without === undefined ? org : undefined}
          value={workflow ?? ""}
          says={
            workflow === undefined ? "" : plan?.workflow.workflow === workflow ? nameAndMode(plan.workflow) : undefined
          }
          onValue={(id) => {
            // Overrides a pending choice of an organization.
            choosing.current?.abort();
            chooseWorkflow(id);
          }}
          labelOf={nameAndMode}
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
          A simulated workflow can run every source without a credential and without charges.
        </Empty>
      )}
    </div>
  );
}

/** A simulated workflow, if there is one; otherwise the newest enabled workflow. */
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
