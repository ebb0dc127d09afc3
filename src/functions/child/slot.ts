import type ivm from "isolated-vm";
import type { IsolateContract } from "./isolate-contract.ts";

/** An isolate that serves runs of one bundle for one owner. */
export interface Slot {
  readonly key: string;
  readonly isolate: ivm.Isolate;
  readonly prelude: ivm.Script;
  readonly bundle: ivm.Script;
  /** What its runs' inputs and output are checked by, and which of the two. */
  readonly contract: IsolateContract;
  readonly checks: { readonly inputs: boolean; readonly output: boolean };
  contexts: number;
  /** Called when V8 gives the isolate up. */
  lost: (text: string) => void;
}
