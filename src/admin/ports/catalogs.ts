/** The sources and functions that there are. */
import type { FunctionCatalog, SourceCatalog } from "../../run/ports.ts";
import type { FunctionCase } from "../../sdk/data-function.ts";

export interface SourceListing extends SourceCatalog {
  /** Whether the file with this id cannot be used. The problem has been noted already. */
  isBroken(id: string): boolean;
  /** Every id, sorted. */
  ids(): readonly string[];
  /** Of a source that there is. */
  placeOf(id: string): SourcePlace | undefined;
}

export interface SourcePlace {
  readonly file: string;
  readonly from: "catalog" | "project";
  /** Whether runs may ask it: for a source of the catalog that leaves the machine, the setting `catalog` decides. */
  readonly isOn: boolean;
}

export interface FunctionListing extends FunctionCatalog {
  /** Whether the file with this id cannot be used. The problem has been noted already. */
  isBroken(id: string): boolean;
  /** Sorted by id. */
  list(): readonly DescribedFunction[];
}

export interface DescribedFunction {
  readonly id: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly inputs: object | undefined;
  readonly output: object | undefined;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly file: string;
  readonly from: "catalog" | "project";
  /** Read on demand. @throws OperatorError if they cannot be used */
  cases(): Promise<readonly FunctionCase[]>;
  /** Its file as it is now; `null` if that cannot be shown. */
  code(): Promise<string | null>;
}
