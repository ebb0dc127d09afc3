/** Who is calling: what a token and a workflow of one organization amount to. Made by `access/`, read by `run/`. */
export interface Caller {
  readonly organizationId: string;
  readonly tokenId: string;
  readonly workflow: Workflow;
}

export interface Workflow {
  readonly id: string;
  readonly organizationId: string;
  readonly disabled: boolean;
  /** Section 2.3 rule 3: a stored credential may be chosen without being named. */
  readonly autoCredentials: boolean;
  /** Adds `failure` to failed status entries (decision 10). */
  readonly failureDetails: boolean;
  /** Masks `credentials` in the echoed `config` (decision 7). */
  readonly maskCredentials: boolean;
  /** Fixed at creation: no call of this workflow leaves the machine, and its answers say so (decision 14). */
  readonly simulated: boolean;
}

export const CONTEXTS = ["prod", "test", "dev"] as const;
export type Context = (typeof CONTEXTS)[number];
