/** Organizations, with their tokens and workflows. */
import type { VersionShare, Workflow, WorkflowVersions } from "../../terms/caller.ts";
import type { Act, Page } from "./acts.ts";

export interface Organization {
  readonly id: string;
  readonly name: string;
  /** If `true`, all of its tokens are refused. */
  readonly disabled: boolean;
  readonly createdWallAt: number;
}

export interface OrganizationAdmin {
  createOrganization(act: Act, organization: Omit<Organization, "disabled">): Promise<void>;
  changeOrganization(
    act: Act,
    id: string,
    change: Partial<Pick<Organization, "name" | "disabled">>,
  ): Promise<Organization | null>;
  organization(id: string): Promise<Organization | null>;
  /** Newest first, like every list here. */
  organizations(page?: Page): Promise<readonly Organization[]>;
}

export interface NewToken {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** SHA-256 of the token, lower-case hex. */
  readonly digest: string;
  readonly createdWallAt: number;
  readonly expiresWallAt: number | null;
}

/** A token as an operator sees it, without the token itself and its digest. */
export interface IssuedToken extends Omit<NewToken, "digest"> {
  readonly revokedWallAt: number | null;
  readonly lastUsedWallAt: number | null;
}

export type TokenState = "active" | "revoked" | "expired";

export interface TokensInState {
  /** All states if left out. */
  readonly state?: TokenState;
  /** The time at which the state is evaluated. */
  readonly wallAt?: number;
}

export interface TokenAdmin {
  createToken(act: Act, token: NewToken): Promise<IssuedToken | null>;
  tokens(organizationId: string, chosen?: Page & TokensInState): Promise<readonly IssuedToken[]>;
  /**
   * Revokes a token by its id or, if it leaked, by its digest. Revoking it again keeps the time of the first
   * revocation.
   */
  revokeToken(act: Act, token: { readonly id: string } | { readonly digest: string }): Promise<IssuedToken | null>;
}

export interface NamedWorkflow extends Workflow {
  readonly name: string;
  readonly createdWallAt: number;
}

/** The settings of a workflow that may change. `simulated` may not. */
export type WorkflowChange = Partial<
  Pick<NamedWorkflow, "name" | "disabled" | "autoCredentials" | "failureDetails" | "maskCredentials">
> & { readonly versions?: VersionsChange };

/** A version with its number, which the audit entry has. */
export interface NumberedShare extends VersionShare {
  readonly number: number;
}

/** The functions and sources whose version changes; others keep theirs. `null`: the loaded version again. */
export type VersionsChange = {
  readonly [Kind in keyof WorkflowVersions]?: Readonly<Record<string, NumberedShare | null>>;
};

export interface WorkflowAdmin {
  createWorkflow(act: Act, workflow: NamedWorkflow): Promise<NamedWorkflow | null>;
  workflow(id: string): Promise<NamedWorkflow | null>;
  workflows(
    organizationId: string,
    page?: Page & { readonly nameStart?: string; readonly idStart?: string },
  ): Promise<readonly NamedWorkflow[]>;
  changeWorkflow(act: Act, id: string, change: WorkflowChange): Promise<NamedWorkflow | null>;
}
