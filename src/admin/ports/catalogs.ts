/** The sources and functions of a deployment. */
import type { FunctionCatalog, RunnableFunction, RunnableSource, SourceCatalog } from "../../run/ports.ts";
import type { FunctionCase } from "../../sdk/data-function.ts";
import type { VersionTexts } from "../../terms/version.ts";

interface Listing {
  /** A sentence for a person whose command names no project, so that only the catalog is listed. */
  readonly projectHint?: string | undefined;
}

export interface SourceListing extends SourceCatalog, Listing {
  /** Whether the file of this id cannot be used. Its problem has already been reported. */
  isBroken(id: string): boolean;
  /** Every id, sorted. */
  ids(): readonly string[];
  /** The location of an existing source. */
  placeOf(id: string): SourceOrigin | undefined;
}

export interface SourceOrigin {
  readonly file: string;
  readonly from: "catalog" | "package" | "project";
  /** The name of the package; `null` if it is of none. */
  readonly package: string | null;
  /** Whether runs may call it. For a catalog source that leaves the machine, the setting `catalog` decides. */
  readonly isOn: boolean;
  /** `null` if it was never proved. */
  readonly proof: SourceProof | null;
  /** The texts of its version. */
  readonly texts: () => Promise<VersionTexts>;
}

/** That a version of a source has got an answer from its vendor, as `datarun prove` has written it down. */
export interface SourceProof {
  /** The day in UTC. */
  readonly date: string;
  /** The version of the service. */
  readonly build: string;
  /** Whether the vendor had a record. */
  readonly match: boolean;
  /** Whether it is of another version than the loaded one. */
  readonly outdated: boolean;
}

export interface LockedCatalogs {
  /** The path of `datarun.lock`. */
  readonly file: string;
  /** The packages of the setting `catalogs`, with their differences from the lock, and those that only the lock has. */
  readonly packages: readonly {
    readonly name: string;
    readonly version: string;
    readonly sources: number;
    readonly differences: readonly string[];
  }[];
}

export interface FunctionListing extends FunctionCatalog, Listing {
  /** Whether the file of this id cannot be used. Its problem has already been reported. */
  isBroken(id: string): boolean;
  /** Sorted by id. */
  list(): readonly DescribedFunction[];
}

/** Versions from the store, loaded as runs load them. */
export interface StoredVersions {
  /** @throws OperatorError `refused` with the reason if no run could use the version */
  tryFunction(id: string, digest: string): Promise<RunnableFunction>;
  /** The same for a source. @param loaded the loaded version of it */
  trySource(loaded: RunnableSource, digest: string): Promise<RunnableSource>;
}

export interface DescribedFunction {
  readonly id: string;
  /** The digest of the loaded version. */
  readonly version: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly inputs: object | undefined;
  readonly output: object | undefined;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly file: string;
  readonly from: "catalog" | "project";
  /** The texts of its version. */
  readonly texts: () => Promise<VersionTexts>;
  /** Read on demand. @throws OperatorError if the cases are invalid */
  cases(): Promise<readonly FunctionCase[]>;
  /** The current text of the file; `null` if it cannot be shown. */
  code(): Promise<string | null>;
}
