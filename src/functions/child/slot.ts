import type ivm from "isolated-vm";
import type { IsolateContract } from "./isolate-contract.ts";

/** An isolate that serves the runs of one bundle and one organization. */
export interface Slot {
  readonly key: string;
  readonly isolate: ivm.Isolate;
  readonly prelude: ivm.Script;
  readonly bundle: ivm.Script;
  /** Checks the inputs and outputs of the runs; `checks` says which of them have a schema. */
  readonly contract: IsolateContract;
  readonly checks: { readonly inputs: boolean; readonly output: boolean };
  contexts: number;
  /** Called when V8 gives up the isolate. */
  onLost: (text: string) => void;
}
