import { Worker } from "node:worker_threads";
import type { Clock } from "../../terms/time/clock.ts";
import { compiledCode } from "../../terms/platform/compiled-code.ts";
import type { FromJournal, JournalSetup, ToJournal } from "./journal-messages.ts";
import { moduleBeside } from "../../terms/platform/module-beside.ts";
import { settledWithin } from "../../terms/time/within.ts";

type Failure = Extract<FromJournal, { readonly is: "failed" }>;

export interface JournalLinkOptions {
  readonly clock: Clock;
  /** Called before each start of the thread. */
  readonly setup: () => JournalSetup;
  readonly onMessage: (message: FromJournal) => void;
  /** The thread has ended, with or without a reported failure. `again`: more than once in a row. */
  readonly onDown: (failure: Failure | null, again: boolean) => void;
}

const RESTART_FIRST_MS = 100;
const RESTART_MAX_MS = 5_000;
const FORCE_MS = 500;
/** V8 would let the young generation grow to eight times this size, without making the thread faster. */
const YOUNG_MIB = 12;

/** Keeps the journal's thread running: restarts it after increasing delays, each time with newly opened files. */
export class JournalLink {
  readonly #options: JournalLinkOptions;
  #worker: Worker | null = null;
  #ready = false;
  #failure: Failure | null = null;
  #deaths = 0;
  #restarts = 0;
  #ending = false;
  #cancelRestart: (() => void) | null = null;
  #onExit: (() => void) | null = null;

  constructor(options: JournalLinkOptions) {
    this.#options = options;
  }

  get ready(): boolean {
    return this.#ready;
  }

  get restarts(): number {
    return this.#restarts;
  }

  start(): void {
    this.#failure = null;
    const worker = new Worker(moduleBeside("./journal-worker.ts", import.meta.url), {
      name: "journal",
      workerData: this.#options.setup(),
      env: compiledCode(),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    this.#worker = worker;
    worker.on("message", (message: FromJournal) => this.#receive(message));
    worker.on("error", (error: unknown) => {
      this.#failure ??= { is: "failed", during: "commit", code: "UNEXPECTED", message: String(error) };
    });
    worker.once("exit", () => this.#exited(worker));
  }

  #receive(message: FromJournal): void {
    if (message.is === "ready") this.#ready = true;
    if (message.is === "failed") {
      this.#failure = message;
      this.#ready = false;
    }
    if (message.is === "durable") this.#deaths = 0;
    this.#options.onMessage(message);
  }

  #exited(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#ready = false;
    this.#onExit?.();
    if (this.#ending) return;
    this.#deaths += 1;
    this.#restarts += 1;
    this.#options.onDown(this.#failure, this.#deaths > 1);
    // The first end without a reported failure may be an accident, and answers are waiting, so the thread restarts at
    // once.
    const delayMs = this.#failure === null && this.#deaths === 1 ? 0 : this.#backoffMs();
    this.#cancelRestart = this.#options.clock.after(delayMs, () => this.start());
  }

  #backoffMs(): number {
    return Math.min(RESTART_MAX_MS, RESTART_FIRST_MS * 2 ** Math.min(this.#deaths - 1, 10));
  }

  post(message: ToJournal): void {
    this.#worker?.postMessage(message);
  }

  /**
   * Requests the thread to end, then terminates it. Does not wait longer for a thread that is blocked in the kernel.
   */
  async stop(withinMs: number): Promise<void> {
    this.#ending = true;
    this.#cancelRestart?.();
    const worker = this.#worker;
    if (worker === null) return;
    const gone = new Promise<void>((resolve) => (this.#onExit = resolve));
    this.post({ stop: true });
    const { clock } = this.#options;
    if (await settledWithin(clock, withinMs, gone)) return;
    void worker.terminate();
    await settledWithin(clock, FORCE_MS, gone);
  }
}
