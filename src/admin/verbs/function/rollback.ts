import { Type } from "../../../terms/schema/type.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { DAY_MS } from "../../../terms/time/durations.ts";
import { versionName } from "../../../terms/version.ts";
import { functionInput, workflowInput } from "../../shared-inputs.ts";
import type { VerbCall } from "../../needs.ts";
import type { NamedWorkflow, Version } from "../../ports.ts";
import { requireWorkflow } from "../../require.ts";
import { count, oneOf, orNull, rowsOf, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import { loadedFinder, type LoadedFinder, shareOf } from "../../workflow-versions.ts";

const DAYS = 30;
/** The runs of the function that are looked at for the workflows that use it. */
const RUNS_MAX = 50_000;

export default defineVerb({
  summary: "Set a function back to its previous version, without a deployment",
  description: `A workflow whose runs get the loaded version is pinned to the version with the next lower number. In a workflow with a canary, all runs get the earlier of its two versions. Without --workflow this happens in each workflow that is not disabled and has called the function within the last ${DAYS} days, by the newest ${RUNS_MAX.toLocaleString("en")} runs of the ledger, and by those of this machine that have not reached a shared database yet; workflows that are pinned to another version keep it, so that a repetition changes nothing. With --workflow, a pinned workflow goes one version further back. Services follow without a restart. The version is loaded first, and nothing is changed if it cannot be used. Undo it with: workflow set WORKFLOW --function ID=latest`,
  example: "dfunc_contact_check --workflow wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: { function: functionInput, workflow: Type.Optional(workflowInput) },
  positional: ["function"],
  role: "operator",
  changes: true,
  needs: ["store", "sources", "functions", "storedVersions", "ledgersHere"],

  result: Type.Object({
    function: text,
    workflows: rowsOf({
      workflow: text,
      name: text,
      organization_tuid: text,
      did: oneOf("pinned", "ended_canary", "nothing"),
      from: { ...count, description: "The number of the version before; of a canary, the later one" },
      to: { ...orNull(count), description: "The number of the version that its runs get now" },
      to_digest: orNull(text),
      percent_before: orNull(Type.Number()),
    }),
  }),

  async run({ function: id, workflow: one }, call) {
    const store = await call.store();
    const finder = await loadedFinder("function", id, call);
    const versions = await store.versions("function", id);
    const workflows = one === undefined ? await callersOf(id, call) : [await requireWorkflow(store, one)];
    if (workflows.length === 0)
      throw new OperatorError(
        "refused",
        `No workflow has called ${id} within the last ${DAYS} days. Name one with --workflow.`,
      );
    const steps = workflows.map((workflow) => stepOf(workflow, one !== undefined, finder, versions));
    const dones = steps.filter((step) => step.did !== "nothing");
    if (dones.length === 0)
      throw new OperatorError(
        "refused",
        one === undefined
          ? `Nothing was changed: of the workflows that have called ${id} within the last ${DAYS} days, none gets a loaded version with an earlier one before it.`
          : `${id} has no version before ${versionName(steps[0]!.from)}. Nothing was changed.`,
      );
    const targets = new Map(dones.flatMap(({ did, to }) => (did === "pinned" ? [[to.digest, to] as const] : [])));
    const shares = new Map<string, Awaited<ReturnType<typeof shareOf>>>();
    for (const [digest, target] of targets) shares.set(digest, await shareOf(target, 100, finder));
    for (const { workflow, did, to } of dones) {
      const share = did === "pinned" ? shares.get(to.digest)! : null;
      await store.changeWorkflow(call.act, workflow.id, { versions: { functions: { [id]: share } } });
    }
    return {
      function: id,
      workflows: steps.map(({ workflow, did, from, to, percent }) => ({
        workflow: workflow.id,
        name: workflow.name,
        organization_tuid: workflow.organizationId,
        did,
        from: from.number,
        to: to.number,
        to_digest: to.digest,
        percent_before: percent,
      })),
    };
  },
});

interface Step {
  readonly workflow: NamedWorkflow;
  readonly did: "pinned" | "ended_canary" | "nothing";
  readonly from: Version;
  /** The version before it; the same version if there is none. */
  readonly to: Version;
  readonly percent: number | null;
}

/**
 * @param isNamed whether the operator has named the workflow: then it also goes back from a pin
 * @param versions newest first
 */
function stepOf(
  workflow: NamedWorkflow,
  isNamed: boolean,
  { id, loaded }: LoadedFinder,
  versions: readonly Version[],
): Step {
  const named = workflow.versions?.functions ?? {};
  const share = Object.hasOwn(named, id) ? named[id]! : null;
  const versionOf = (digest: string) =>
    versions.find((each) => each.digest === digest) ?? refuse(`Version ${digest} of ${id} is not registered.`);
  const percent = share?.percent ?? null;
  const present = versionOf(share?.version ?? loaded);
  if (percent !== null && percent < 100) {
    const rest = versionOf(loaded);
    return rest.number <= present.number
      ? { workflow, did: "ended_canary", from: present, to: rest, percent }
      : { workflow, did: "pinned", from: rest, to: present, percent };
  }
  const before = versions.find(({ number }) => number < present.number);
  const keeps = before === undefined || (!isNamed && present.digest !== loaded);
  return { workflow, did: keeps ? "nothing" : "pinned", from: present, to: keeps ? present : before, percent };
}

/**
 * The workflows that have called the function, except those that are disabled. A shared ledger alone would lack those
 * whose first runs are still in this machine's journal, and they would keep the version that is to be left.
 */
async function callersOf(id: string, call: VerbCall<"store" | "ledgersHere">): Promise<readonly NamedWorkflow[]> {
  const store = await call.store();
  const to = call.clock.wall() + 1;
  const filter = { functions: [id], by: "workflow", from: to - DAYS * DAY_MS, to, newest: RUNS_MAX } as const;
  const ids = new Set<string>();
  for (const { open } of await call.ledgersHere()) {
    const lines = await (await open()).functionActivity(filter);
    for (const { workflowId } of lines) ids.add(workflowId!);
  }
  const found = await Promise.all(Array.from(ids, (each) => store.workflow(each)));
  return found.filter((workflow) => workflow !== null && !workflow.disabled) as NamedWorkflow[];
}

function refuse(message: string): never {
  throw new OperatorError("refused", message);
}
