import type ivm from "isolated-vm";
import type { ContractPart } from "../inside/check-contract.ts";

/**
 * Checks one function's contract in one of its isolates, within the time and memory limits of the run. The checks have
 * their own context, which the author's code never enters. That context serves all runs of the isolate and stores
 * nothing of a run.
 */
export class IsolateContract {
  readonly #isolate: ivm.Isolate;
  readonly #compile: () => Promise<ivm.Script>;
  #opened: Promise<ivm.Reference> | undefined;

  constructor(isolate: ivm.Isolate, compile: () => Promise<ivm.Script>) {
    this.#isolate = isolate;
    this.#compile = compile;
  }

  /** Returns the first problem of a run's inputs or output, without quoting a value; `null` if there is none. */
  async check(part: ContractPart, json: string): Promise<string | null> {
    const opened = (this.#opened ??= this.#open());
    return (await (await opened).apply(undefined, [part, json])) as string | null;
  }

  async #open(): Promise<ivm.Reference> {
    const context = await this.#isolate.createContext();
    return (await this.#compile()).run(context, { reference: true });
  }
}
