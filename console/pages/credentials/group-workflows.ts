/** The properties of a workflow that determine the credentials of its runs. */
interface Decisive {
  readonly workflow: string;
  readonly name: string;
  readonly auto_credentials: boolean;
  readonly simulated: boolean;
}

export interface WorkflowGroup {
  readonly title: string;
  /** The field in a row of the matrix that has the answer for this group. Simulated runs use no stored credential. */
  readonly takes: "auto_credentials" | "no_auto_credentials" | "made up";
  readonly workflows: readonly Pick<Decisive, "workflow" | "name">[];
}

const GROUPS: readonly (Omit<WorkflowGroup, "workflows"> & { readonly has: (one: Decisive) => boolean })[] = [
  {
    title: "Selects credentials",
    takes: "auto_credentials",
    has: ({ auto_credentials: auto, simulated }) => auto && !simulated,
  },
  {
    title: "Default only",
    takes: "no_auto_credentials",
    has: ({ auto_credentials: auto, simulated }) => !auto && !simulated,
  },
  { title: "Simulated", takes: "made up", has: ({ simulated }) => simulated },
];

/** Groups the workflows whose runs use the same credentials. Empty groups are left out. */
export function groupWorkflows(workflows: readonly Decisive[]): readonly WorkflowGroup[] {
  return GROUPS.map(({ has, ...group }) => ({ ...group, workflows: workflows.filter(has) })).filter(
    (group) => group.workflows.length > 0,
  );
}
