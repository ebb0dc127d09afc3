import { setTimeout as sleep } from "node:timers/promises";
import { randomBytes } from "node:crypto";
import ivm from "isolated-vm";
import type { ContractPart } from "../inside/check-contract.ts";
import type { AnswerUrlRequest } from "./url-answers.ts";

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

/** Disposes of an isolate and stops the code in it, as far as V8 can. May be called more than once. */
export function dispose(isolate: ivm.Isolate): void {
  if (!isolate.isDisposed) isolate.dispose();
}

/** Receives the messages that code in the isolate sends through the bridge. */
export type OnBridgeMessage = (what: string, first: unknown, second: unknown, third: unknown) => void;

const STEP_MS = 10;
const SEED_BYTES = 32;

type EnterArguments = readonly (string | number)[];

/**
 * A fresh context in an isolate, for one run. It counts every unfinished call into the context, because each means that
 * a thread is inside. Nothing else shows this reliably: a disposed isolate can continue to execute.
 */
export class IsolateContext {
  readonly slot: Slot;
  /** Resolves when the prelude has run; then the author's code can start. */
  readonly ready: Promise<void>;
  readonly #answerAsk: AnswerUrlRequest;
  #onMessage: OnBridgeMessage = () => {};
  #failed: (thrown: unknown) => void = () => {};
  #context: ivm.Context | undefined;
  #enter: ivm.Reference | undefined;
  #open: ivm.Reference | undefined;
  #leftBytes = 0;
  #inside = 0;
  #closed = false;
  #emptyListeners: (() => void)[] = [];

  constructor(slot: Slot, answerAsk: AnswerUrlRequest) {
    this.slot = slot;
    this.#answerAsk = answerAsk;
    slot.contexts += 1;
    this.ready = this.#prepare();
    // A rejection reaches callers that await `ready`. Without one, it must not count as unhandled.
    this.ready.catch(() => {});
  }

  async #prepare(): Promise<void> {
    const { isolate, prelude } = this.slot;
    this.#context = await this.#count(isolate.createContext());
    this.#open = await this.#count(prelude.run(this.#context, { reference: true }));
    const post = new ivm.Callback(
      (type: unknown, first: unknown, second: unknown, third: unknown) => {
        if (!this.#closed) this.#onMessage(String(type), first, second, third);
      },
      { ignored: true },
    );
    const ask = new ivm.Callback(this.#answerAsk, { sync: true });
    const seed = randomBytes(SEED_BYTES).toString("hex");
    this.#enter = await this.#count(
      this.#open.apply(undefined, [post, ask, seed], { result: { reference: true } }) as Promise<ivm.Reference>,
    );
    if (this.slot.contexts > 1) this.#leftBytes = await this.#count(bytesOf(isolate));
  }

  /** Starts the bundle in the context, without waiting for it. */
  start(what: string, argument: string, onMessage: OnBridgeMessage, failed: (thrown: unknown) => void): void {
    if (this.#closed || this.#context === undefined) return;
    this.#onMessage = onMessage;
    this.#failed = failed;
    void this.#count(this.slot.bundle.run(this.#context)).catch(failed);
    void this.enter(what, argument);
  }

  /** Resolves when the isolate's thread has processed the call, or never will. */
  async enter(...args: EnterArguments): Promise<void> {
    if (this.#closed || this.#enter === undefined) return;
    await this.#count(this.#enter.apply(undefined, [...args])).catch(this.#failed);
  }

  /** Checks a part by the function's contract; returns `null` if the contract has no schema for it. */
  async check(part: ContractPart, json: string): Promise<string | null> {
    if (this.#closed || !this.slot.checks[part]) return null;
    return this.#count(this.slot.contract.check(part, json));
  }

  /** Bytes that earlier runs have left in the isolate. Valid after `ready`. */
  get leftBytes(): number {
    return this.#leftBytes;
  }

  /** Ignores all further messages of the context. Resolves with whether all threads left within `withinMs`. */
  async leave(withinMs: number, ruthless: boolean): Promise<boolean> {
    this.#closed = true;
    if (ruthless) dispose(this.slot.isolate);
    return this.#inside === 0 || this.#emptied(withinMs);
  }

  /** Releases the references to the context, so that the isolate can collect it. */
  release(): void {
    if (this.slot.isolate.isDisposed) return;
    this.#enter?.release();
    this.#open?.release();
    this.#context?.release();
  }

  /**
   * Waits in small steps. On an overloaded machine the steps take longer, as does the thread that has to leave, so a
   * slow thread does not count as stuck.
   */
  async #emptied(withinMs: number): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < withinMs && this.#inside > 0; waitedMs += STEP_MS) {
      await Promise.race([this.#whenEmpty(), sleep(STEP_MS)]);
    }
    return this.#inside === 0;
  }

  #whenEmpty(): Promise<void> {
    return new Promise((resolve) => this.#emptyListeners.push(resolve));
  }

  async #count<Value>(entry: Promise<Value>): Promise<Value> {
    this.#inside += 1;
    try {
      return await entry;
    } finally {
      this.#inside -= 1;
      if (this.#inside === 0) for (const notify of this.#emptyListeners.splice(0)) notify();
    }
  }
}

/** Bytes of an isolate's heap, of its buffers and of V8 itself. Resolves when the isolate's thread answers. */
async function bytesOf(isolate: ivm.Isolate): Promise<number> {
  const heap = await isolate.getHeapStatistics();
  return heap.total_heap_size + heap.externally_allocated_size + heap.malloced_memory;
}

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
