/** The identified caller, from its token and its workflow. Created by `access/`, used by `run/`. */
export interface Caller {
  readonly organizationId: string;
  readonly tokenId: string;
  readonly workflow: Workflow;
}

export interface Workflow {
  readonly id: string;
  readonly organizationId: string;
  readonly disabled: boolean;
  /** Whether a stored credential may be chosen although the request does not name it. */
  readonly autoCredentials: boolean;
  /** Adds `failure` to failed status entries (decision 0005). */
  readonly failureDetails: boolean;
  /** Masks `credentials` in the echoed `config` (decision 0059). */
  readonly maskCredentials: boolean;
  /** Fixed at creation: no call of this workflow leaves the machine, and its answers are marked (decision 0014). */
  readonly simulated: boolean;
  /** Versions of functions and sources other than the loaded ones; `null` if it names none. */
  readonly versions: WorkflowVersions | null;
}

/** The versions that a workflow names, by the id of the function or source. */
export interface WorkflowVersions {
  readonly functions: Readonly<Record<string, VersionShare>>;
  readonly sources: Readonly<Record<string, VersionShare>>;
  /** Functions that also run after the answer, and whose result is only compared. */
  readonly shadow: Readonly<Record<string, VersionShare>>;
}

export interface VersionShare {
  /** The digest of the version. */
  readonly version: string;
  /** The percentage of runs that get it. 100 pins the version. */
  readonly percent: number;
}

/** The default settings of a workflow. */
export const PLAIN_WORKFLOW = {
  disabled: false,
  autoCredentials: false,
  failureDetails: true,
  maskCredentials: false,
  simulated: false,
  versions: null,
} as const satisfies Partial<Workflow>;

export const CONTEXTS = ["prod", "test", "dev"] as const;
export type Context = (typeof CONTEXTS)[number];

/** A valid token. Opaque to `http/`, which passes it to `resolveCaller`. */
export interface TokenGrant {
  readonly tokenId: string;
  readonly organizationId: string;
  /** How long the request has already waited for the store. */
  readonly waitedMs?: number;
}

/**
 * Identifies callers. Both methods reject with Fault `request.unauthenticated`, or `request.store_unavailable` if the
 * store does not answer and the token or workflow is not cached.
 */
export interface Authenticator {
  resolveToken(token: string): Promise<TokenGrant>;
  resolveCaller(grant: TokenGrant, workflow: string): Promise<Caller>;
}
