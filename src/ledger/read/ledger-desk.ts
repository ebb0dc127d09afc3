import { Worker } from "node:worker_threads";
import type { LedgerAnswers } from "./ledger-reader.ts";

/**
 * The same questions as a reader's, answered in a thread of their own: a sum over a month is seconds of work, and in the
 * service every run would wait for it. The thread starts with the first question and ends with `close`.
 */
export interface LedgerDesk extends LedgerAnswers {
  close(): Promise<void>;
}

export interface AskedQuestion {
  readonly number: number;
  readonly question: keyof LedgerAnswers;
  readonly asked: readonly unknown[];
}

export interface GivenAnswer {
  readonly number: number;
  readonly answer?: unknown;
  /** The error's sentence; its class does not cross between threads. */
  readonly failed?: string;
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function openLedgerDesk(options: { readonly dir: string }): LedgerDesk {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let asked = 0;

  const start = (): Worker => {
    const started = new Worker(new URL("./ledger-desk-worker.ts", import.meta.url), {
      name: "ledger-desk",
      workerData: options,
      env: {},
    });
    started.unref();
    started.on("message", ({ number, answer, failed }: GivenAnswer) => {
      const one = waiting.get(number);
      waiting.delete(number);
      if (failed === undefined) one?.resolve(answer);
      else one?.reject(new Error(failed));
    });
    const end = (error: Error): void => {
      if (worker === started) worker = null;
      for (const one of waiting.values()) one.reject(error);
      waiting.clear();
    };
    started.on("error", end);
    started.on("exit", () => end(new Error("the ledger's reader has ended")));
    return started;
  };
  const ask = (question: keyof LedgerAnswers, ...values: unknown[]): Promise<never> => {
    const thread = (worker ??= start());
    asked += 1;
    const message: AskedQuestion = { number: asked, question, asked: values };
    const answered = new Promise<unknown>((resolve, reject) => waiting.set(message.number, { resolve, reject }));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage(message);
    return answered as Promise<never>;
  };
  return {
    list: (...values) => ask("list", ...values),
    show: (...values) => ask("show", ...values),
    summary: (...values) => ask("summary", ...values),
    unknown: (...values) => ask("unknown", ...values),
    reconcile: (...values) => ask("reconcile", ...values),
    prune: (...values) => ask("prune", ...values),
    verify: (...values) => ask("verify", ...values),
    moment: (...values) => ask("moment", ...values),
    async close() {
      await worker?.terminate();
    },
  };
}
