import type ivm from "isolated-vm";
import type { ContractPart } from "../inside/check-contract.ts";

/**
 * The checks of one function's contract in one of its isolates, under the time and memory of the run that asks. They
 * have a context of their own, which no code of the author's file ever enters, and which serves every run of the
 * isolate: nothing of a run stays in it.
 */
export class IsolateContract {
  readonly #isolate: ivm.Isolate;
  readonly #compile: () => Promise<ivm.Script>;
  #opened: Promise<ivm.Reference> | undefined;

  constructor(isolate: ivm.Isolate, compile: () => Promise<ivm.Script>) {
    this.#isolate = isolate;
    this.#compile = compile;
  }

  /** The first problem of a run's argument, or of its answer, in words that repeat no value; `null` if there is none. */
  async check(part: ContractPart, json: string): Promise<string | null> {
    const opened = (this.#opened ??= this.#open());
    return (await (await opened).apply(undefined, [part, json])) as string | null;
  }

  async #open(): Promise<ivm.Reference> {
    const context = await this.#isolate.createContext();
    return (await this.#compile()).run(context, { reference: true });
  }
}
