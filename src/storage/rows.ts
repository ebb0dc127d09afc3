import type {
  IssuedToken,
  NamedCredential,
  NamedWorkflow,
  Operator,
  Organization,
  StoredCredential,
} from "../admin/ports.ts";
import type { SealedCredential, WrappedKey } from "../credentials/ports.ts";
import type { Context, WorkflowVersions } from "../terms/caller.ts";
import { nameKey } from "./name-key.ts";
import { flag, type NewRow, type Row } from "./tables.ts";

/** Converts between the names of the tables and the names in the code. */

export function toOrganization(row: Row<"organizations">): Organization {
  return { id: row.id, name: row.name, disabled: row.disabled === 1, createdWallAt: row.created_wall_at };
}

export function toIssuedToken(row: Row<"tokens">): IssuedToken {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    createdWallAt: row.created_wall_at,
    expiresWallAt: row.expires_wall_at,
    revokedWallAt: row.revoked_wall_at,
    lastUsedWallAt: row.last_used_wall_at,
  };
}

export function toOperator(row: Row<"operators">): Operator {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    login: row.login ?? "token",
    createdWallAt: row.created_wall_at,
    expiresWallAt: row.expires_wall_at,
    revokedWallAt: row.revoked_wall_at,
    lastUsedWallAt: row.last_used_wall_at,
  };
}

export function toWorkflow(row: Row<"workflows">): NamedWorkflow {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    disabled: row.disabled === 1,
    autoCredentials: row.auto_credentials === 1,
    failureDetails: row.failure_details === 1,
    maskCredentials: row.mask_credentials === 1,
    simulated: row.simulated === 1,
    versions: row.versions === null ? null : (JSON.parse(row.versions) as WorkflowVersions),
    createdWallAt: row.created_wall_at,
  };
}

export function fromWorkflow(workflow: NamedWorkflow): NewRow<"workflows"> {
  return {
    id: workflow.id,
    organization_id: workflow.organizationId,
    name: workflow.name,
    name_key: nameKey(workflow.name),
    disabled: flag(workflow.disabled),
    auto_credentials: flag(workflow.autoCredentials),
    failure_details: flag(workflow.failureDetails),
    mask_credentials: flag(workflow.maskCredentials),
    simulated: flag(workflow.simulated),
    versions: workflow.versions === null ? null : JSON.stringify(workflow.versions),
    created_wall_at: workflow.createdWallAt,
  };
}

export function toStoredCredential(row: Row<"credentials">): StoredCredential {
  return {
    id: row.id,
    organizationId: row.organization_id,
    source: row.source,
    version: row.version,
    contexts: JSON.parse(row.contexts) as Context[],
    regions: JSON.parse(row.regions ?? "[]") as string[],
    isDefault: row.is_default === 1,
    disabled: row.disabled === 1,
    createdWallAt: row.created_wall_at,
    keyId: row.key_id,
  };
}

export function toNamedCredential(row: Row<"credentials">): NamedCredential {
  return { ...toStoredCredential(row), name: row.name };
}

export function toSealedCredential(row: Row<"credentials">): SealedCredential {
  return { ...toStoredCredential(row), sealed: row.sealed };
}

/** The columns of a credential's name. */
export function fromCredentialName(name: string | null): Pick<Row<"credentials">, "name" | "name_key"> {
  return { name, name_key: name === null ? null : nameKey(name) };
}

export function fromCredential(credential: SealedCredential, name: string | null): NewRow<"credentials"> {
  return {
    id: credential.id,
    organization_id: credential.organizationId,
    source: credential.source,
    version: credential.version,
    contexts: JSON.stringify(credential.contexts),
    regions: credential.regions.length === 0 ? null : JSON.stringify(credential.regions),
    is_default: flag(credential.isDefault),
    disabled: flag(credential.disabled),
    created_wall_at: credential.createdWallAt,
    deleted_wall_at: null,
    key_id: credential.keyId,
    sealed: credential.sealed,
    ...fromCredentialName(name),
  };
}

export function toWrappedKey(row: Row<"data_keys">): WrappedKey {
  return { id: row.id, organizationId: row.organization_id, rootKeyId: row.root_key_id, wrapped: row.wrapped };
}
