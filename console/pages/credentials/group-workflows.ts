/** What of a workflow decides which credential its runs take. */
interface Decisive {
  readonly workflow: string;
  readonly name: string;
  readonly auto_credentials: boolean;
  readonly simulated: boolean;
}

export interface WorkflowGroup {
  readonly title: string;
  /** Where in a row of the matrix its answer is; a simulated run takes no stored credential. */
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

/** The workflows whose runs take the same credentials, together. Groups without any are left out. */
export function groupWorkflows(workflows: readonly Decisive[]): readonly WorkflowGroup[] {
  return GROUPS.map(({ has, ...group }) => ({ ...group, workflows: workflows.filter(has) })).filter(
    (group) => group.workflows.length > 0,
  );
}
