import { Worker } from "node:worker_threads";
import type { Clock } from "../../terms/time/clock.ts";
import { compiledCode } from "../../terms/platform/compiled-code.ts";
import { settledWithin } from "../../terms/time/within.ts";
import type { DrainRecord, RunningLedger } from "../journal/running-ledger.ts";
import type { LedgerLog } from "../ports.ts";
import type { DrainerState } from "./drainer.ts";

export interface DrainThreadOptions {
  /** The module that runs in the thread. It must accept `ToDrainer` messages. */
  readonly entry: URL;
  readonly workerData: unknown;
  /** Must be ready, so that its journal exists. */
  readonly ledger: Pick<RunningLedger, "recordDrained" | "onWritten">;
  readonly clock: Clock;
  readonly log: LedgerLog;
}

export type ToDrainer = { readonly is: "written" } | { readonly is: "end"; readonly withinMs: number };

export type FromDrainer =
  | { readonly is: "state"; readonly state: DrainedState }
  | { readonly is: "noted"; readonly note: DrainRecord }
  | { readonly is: "log"; readonly level: keyof LedgerLog; readonly fields: object; readonly message: string };

export type DrainedState = Pick<DrainerState, "pendingRuns" | "damaged" | "failures">;

export interface DrainThread {
  /** At most a quarter of a second old, unless the thread is stuck. */
  state(): DrainedState;
  /** Sends the content of the journal, as far as time allows. The next start sends the rest. */
  close(withinMs: number): Promise<void>;
}

const RESTART_FIRST_MS = 1_000;
const RESTART_MAX_MS = 30_000;
const FORCE_MS = 1_000;
/** Data is referenced only until it is sent, so a small young generation performs as well as V8's default. */
const RESOURCES = { maxYoungGenerationSizeMb: 24 };

/**
 * Runs a drainer in its own thread: reading, checking and sending runs costs a tenth of the runs themselves, and
 * answers must not wait for it. If the thread ends by itself, a new one continues from the position recorded in the
 * journal.
 */
export function openDrainThread({ entry, workerData, ledger, clock, log }: DrainThreadOptions): DrainThread {
  let state: DrainedState = { pendingRuns: 0, damaged: 0, failures: 0 };
  /** Damaged runs that ended threads have counted. */
  let damagedBefore = 0;
  let isEnding = false;
  let deaths = 0;
  let cancelRestart = (): void => {};
  let worker = start();
  let exited = Promise.withResolvers<void>();

  function start(): Worker {
    const started = new Worker(entry, {
      name: "drain",
      workerData,
      // Its sink may read other variables, such as those of a PostgreSQL client.
      env: { ...process.env, ...compiledCode() },
      resourceLimits: RESOURCES,
    });
    // `close` waits for the thread; a process that ends without `close` does not.
    started.unref();
    started.on("message", receive);
    started.on("error", (error: unknown) => {
      log.error(
        { event: "ledger_drain_thread_failed", error: String(error) },
        "the thread that drains the journal failed",
      );
    });
    started.once("exit", ended);
    return started;
  }

  function receive(message: FromDrainer): void {
    if (message.is === "state") [state, deaths] = [message.state, 0];
    else if (message.is === "noted") ledger.recordDrained(message.note);
    else log[message.level](message.fields, message.message);
  }

  function ended(): void {
    exited.resolve();
    if (isEnding) return;
    damagedBefore += state.damaged;
    state = { ...state, damaged: 0 };
    const delayMs = Math.min(RESTART_MAX_MS, RESTART_FIRST_MS * 2 ** Math.min(deaths, 10));
    deaths += 1;
    cancelRestart = clock.after(delayMs, () => {
      exited = Promise.withResolvers();
      worker = start();
    });
  }

  const post = (message: ToDrainer): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(message);
  };
  ledger.onWritten(() => post({ is: "written" }));
  return {
    state: () => ({ ...state, damaged: damagedBefore + state.damaged }),
    async close(withinMs) {
      isEnding = true;
      cancelRestart();
      ledger.onWritten(() => {});
      worker.ref();
      post({ is: "end", withinMs });
      if (await settledWithin(clock, withinMs + FORCE_MS, exited.promise)) return;
      await worker.terminate();
    },
  };
}
