import { setTimeout as sleep } from "node:timers/promises";
import { randomBytes } from "node:crypto";
import ivm from "isolated-vm";
import type { ContractPart } from "../inside/check-contract.ts";
import type { AnswerAsk } from "./ask.ts";
import { dispose } from "./dispose.ts";
import type { Slot } from "./slot.ts";

/** Receives what the code in the isolate sends through the bridge. */
export type Heard = (what: string, first: unknown, second: unknown, third: unknown) => void;

const STEP_MS = 10;
const SEED_BYTES = 32;

type EnterArguments = readonly (string | number)[];

/**
 * One fresh context in an isolate, for one run. Every call into it is counted: an unfinished one means that a thread is
 * inside, and nothing else shows that reliably, because a disposed isolate can go on executing.
 */
export class Room {
  readonly slot: Slot;
  /** Resolves when the prelude has run, so that only the author's code remains. */
  readonly ready: Promise<void>;
  readonly #answerAsk: AnswerAsk;
  #heard: Heard = () => {};
  #failed: (thrown: unknown) => void = () => {};
  #context: ivm.Context | undefined;
  #enter: ivm.Reference | undefined;
  #open: ivm.Reference | undefined;
  #leftBytes = 0;
  #inside = 0;
  #closed = false;
  #left: (() => void)[] = [];

  constructor(slot: Slot, answerAsk: AnswerAsk) {
    this.slot = slot;
    this.#answerAsk = answerAsk;
    slot.contexts += 1;
    this.ready = this.#prepare();
    // Rejections reach those who use the room; if nobody does, they must not stay unhandled.
    this.ready.catch(() => {});
  }

  async #prepare(): Promise<void> {
    const { isolate, prelude } = this.slot;
    this.#context = await this.#count(isolate.createContext());
    this.#open = await this.#count(prelude.run(this.#context, { reference: true }));
    const post = new ivm.Callback(
      (said: unknown, first: unknown, second: unknown, third: unknown) => {
        if (!this.#closed) this.#heard(String(said), first, second, third);
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

  /** Passes the bundle in and starts it, without waiting. */
  start(what: string, argument: string, heard: Heard, failed: (thrown: unknown) => void): void {
    if (this.#closed || this.#context === undefined) return;
    this.#heard = heard;
    this.#failed = failed;
    void this.#count(this.slot.bundle.run(this.#context)).catch(failed);
    void this.enter(what, argument);
  }

  /** Resolves when the isolate's thread has processed it, or when it is certain that it never will. */
  async enter(...given: EnterArguments): Promise<void> {
    if (this.#closed || this.#enter === undefined) return;
    await this.#count(this.#enter.apply(undefined, [...given])).catch(this.#failed);
  }

  /** Checks by the function's contract; does nothing if that has no schema for the part. */
  async check(part: ContractPart, json: string): Promise<string | null> {
    if (this.#closed || !this.slot.checks[part]) return null;
    return this.#count(this.slot.contract.check(part, json));
  }

  /** What earlier runs in its isolate have left there, once it is ready. */
  get leftBytes(): number {
    return this.#leftBytes;
  }

  /** From now on, everything it sends is ignored. Resolves with whether all threads have left within that time. */
  async leave(withinMs: number, ruthless: boolean): Promise<boolean> {
    this.#closed = true;
    if (ruthless) dispose(this.slot.isolate);
    return this.#inside === 0 || this.#emptied(withinMs);
  }

  /** Releases what the context holds, so that the isolate can collect it. */
  release(): void {
    if (this.slot.isolate.isDisposed) return;
    this.#enter?.release();
    this.#open?.release();
    this.#context?.release();
  }

  /**
   * Waits in small steps. On an overloaded machine the steps take longer, as does the thread that should leave, so a
   * slow thread is not mistaken for a stuck one.
   */
  async #emptied(withinMs: number): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < withinMs && this.#inside > 0; waitedMs += STEP_MS) {
      await Promise.race([this.#nextLeft(), sleep(STEP_MS)]);
    }
    return this.#inside === 0;
  }

  #nextLeft(): Promise<void> {
    return new Promise((resolve) => this.#left.push(resolve));
  }

  async #count<Value>(entry: Promise<Value>): Promise<Value> {
    this.#inside += 1;
    try {
      return await entry;
    } finally {
      this.#inside -= 1;
      if (this.#inside === 0) for (const left of this.#left.splice(0)) left();
    }
  }
}

/** The heap of an isolate, its buffers, and V8's own memory, as soon as its thread answers. */
async function bytesOf(isolate: ivm.Isolate): Promise<number> {
  const heap = await isolate.getHeapStatistics();
  return heap.total_heap_size + heap.externally_allocated_size + heap.malloced_memory;
}
