import { compiledCode } from "../terms/compiled-code.ts";
import { Worker } from "node:worker_threads";
import type { Clock } from "../terms/clock.ts";
import { settledWithin } from "../terms/within.ts";
import type { LeaseAnswer, LeaseAsk, LeaseStore } from "./ports.ts";

export interface LeaseThreadOptions {
  /** The module that runs in the thread, and what it needs to open its store. It must be able to receive `ToLeases`. */
  readonly entry: URL;
  readonly workerData: unknown;
  /** Serves until the thread can, and after it has ended by itself. */
  readonly meanwhile: LeaseStore;
  readonly clock: Clock;
}

export type ToLeases =
  | { readonly is: "exchange"; readonly number: number; readonly asks: readonly LeaseAsk[] }
  | { readonly is: "end" };

export type FromLeases =
  | { readonly is: "ready" }
  | { readonly is: "done"; readonly number: number; readonly answers: readonly LeaseAnswer[] }
  | { readonly is: "failed"; readonly number: number; readonly message: string };

export interface LeaseThread extends LeaseStore {
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (answers: readonly LeaseAnswer[]) => void;
  readonly reject: (error: Error) => void;
}

const CLOSE_MS_MAX = 1_000;
/** After a thread has ended by itself. */
const RESTART_MS = 10_000;

/**
 * A store of leases in a thread of its own, for a store that blocks its thread: the embedded one waits there for the
 * disk, and no run must wait with it. The thread starts with the first exchange, so a service without limits has none.
 * It decides by its own copy of the rule, because functions cannot be sent to it.
 */
export function openLeaseThread({ entry, workerData, meanwhile, clock }: LeaseThreadOptions): LeaseThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let isReady = false;
  let asked = 0;
  let startAt = Number.NEGATIVE_INFINITY;

  function start(): Worker {
    const started = new Worker(entry, { name: "leases", workerData, env: compiledCode() });
    started.unref();
    started.on("message", receive);
    // What fails in it is known by the end that follows.
    started.on("error", () => {});
    started.once("exit", () => {
      [worker, isReady] = [null, false];
      startAt = clock.now() + RESTART_MS;
      for (const { reject } of waiting.values()) reject(new Error("the thread of the leases has ended"));
      waiting.clear();
    });
    return started;
  }

  function receive(message: FromLeases): void {
    if (message.is === "ready") {
      isReady = true;
      return;
    }
    const one = waiting.get(message.number);
    waiting.delete(message.number);
    if (message.is === "done") one?.resolve(message.answers);
    else one?.reject(new Error(message.message));
  }

  function ask(thread: Worker, asks: readonly LeaseAsk[]): Promise<readonly LeaseAnswer[]> {
    asked += 1;
    const number = asked;
    return new Promise((resolve, reject) => {
      waiting.set(number, { resolve, reject });
      post(thread, { is: "exchange", number, asks });
    });
  }

  return {
    exchange(asks, rule) {
      if (clock.now() >= startAt) worker ??= start();
      return worker !== null && isReady ? ask(worker, asks) : meanwhile.exchange(asks, rule);
    },
    // Before the first exchange, so the thread has not been started.
    freeUnits: (process, start) => meanwhile.freeUnits(process, start),
    async close() {
      const thread = worker;
      if (thread === null) return;
      const gone = new Promise<void>((resolve) => void thread.once("exit", () => resolve()));
      thread.ref();
      post(thread, { is: "end" });
      if (!(await settledWithin(clock, CLOSE_MS_MAX, gone))) await thread.terminate();
    },
  };
}

function post(thread: Worker, message: ToLeases): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  thread.postMessage(message);
}
