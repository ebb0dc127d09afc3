/** Versions of functions and sources: what a service has loaded, and the ledger refers to by digest. */

import type { VersionTexts } from "../../terms/version.ts";

export type VersionKind = "function" | "source";

/** A version of a function or a source. Its number is for people; the ledger and workflows refer to its digest. */
export interface Version {
  readonly kind: VersionKind;
  /** The id of the function or source. */
  readonly id: string;
  /** The digest of its content (`terms/version.ts`). */
  readonly digest: string;
  /** Counts up from 1 for each function and source, in the order of registration. */
  readonly number: number;
  readonly origin: "catalog" | "package" | "project";
  /** The first time that a service loaded it. */
  readonly firstWallAt: number;
  /** The version of the deployment that first loaded it, derived from git; `null` if it is not known. */
  readonly build: string | null;
  /** The deployer, as `--deployed-by` named it. */
  readonly deployedBy: string | null;
}

export type NamedVersion = Pick<Version, "kind" | "id" | "digest">;

/** A loaded version, which may be new. */
export interface LoadedVersion extends Pick<Version, "kind" | "id" | "digest" | "origin"> {
  /** Read only if the store lacks the version. */
  texts(): Promise<VersionTexts>;
}

/** A workflow that names a version. */
export interface VersionUse {
  readonly workflowId: string;
  readonly workflowName: string;
  readonly organizationId: string;
  /** `run`: its runs use the version. `shadow`: the version also runs after their answers. */
  readonly use: "run" | "shadow";
  readonly digest: string;
  /** The percentage of its runs. */
  readonly percent: number;
}

/** A start or reload of a service that loads versions. */
export interface Deployed extends Pick<Version, "build" | "deployedBy"> {
  readonly wallAt: number;
}

export interface VersionStore {
  /**
   * Adds the versions that the store lacks, in the order given, and an audit entry for each whose function or source has
   * an earlier version. Returns what was added. Concurrent calls of several processes each end well.
   */
  registerVersions(versions: readonly LoadedVersion[], deployed: Deployed): Promise<readonly Version[]>;
  /**
   * @param which its number, its digest, or the beginning of its digest with at least 6 characters, if no other version
   *   has that beginning. Otherwise `null`
   */
  findVersion(kind: VersionKind, id: string, which: string): Promise<Version | null>;
  /** All versions of a function or source, newest first. */
  versions(kind: VersionKind, id: string): Promise<readonly Version[]>;
  /** The newest version of every function and source that ever had one. */
  newestVersions(): Promise<readonly Version[]>;
  /** The workflows that name a version of a function or source, sorted by id. */
  versionUses(kind: VersionKind, id: string): Promise<readonly VersionUse[]>;
  /** Each version once that runs of a workflow use which is not disabled. */
  namedVersions(): Promise<readonly NamedVersion[]>;
  /** The versions with these digests, in any order. Digests that are not stored are left out. */
  versionsOf(digests: readonly string[]): Promise<readonly Version[]>;
  /** @throws OperatorError `refused` if the stored content does not have that digest */
  versionTexts(version: Pick<Version, "kind" | "id" | "digest">): Promise<VersionTexts | null>;
}
