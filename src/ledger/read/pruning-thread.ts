import { Worker } from "node:worker_threads";
import { moduleBeside } from "../../terms/module-beside.ts";
import type { LedgerAnswers } from "./ledger-reader.ts";

/** What retention asks of the journal. */
export type PruningAnswers = Pick<LedgerAnswers, "prune" | "moment">;

/**
 * Prunes the journal in a thread of its own, because such large reads would delay every run in the service. The thread
 * starts with the first question and ends with `close`.
 */
export interface PruningThread extends PruningAnswers {
  close(): Promise<void>;
}

export interface AskedQuestion {
  readonly number: number;
  readonly question: keyof PruningAnswers;
  readonly asked: readonly unknown[];
}

export interface GivenAnswer {
  readonly number: number;
  readonly answer?: unknown;
  /** The error's message; its class is lost between threads. */
  readonly failed?: string;
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function openPruningThread(options: { readonly dir: string }): PruningThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let asked = 0;

  const start = (): Worker => {
    const started = new Worker(moduleBeside("./pruning-worker.ts", import.meta.url), {
      name: "ledger-pruning",
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
    started.on("exit", () => end(new Error("the ledger's pruning thread has ended")));
    return started;
  };
  const ask = (question: keyof PruningAnswers, ...values: unknown[]): Promise<never> => {
    const thread = (worker ??= start());
    asked += 1;
    const message: AskedQuestion = { number: asked, question, asked: values };
    const answered = new Promise<unknown>((resolve, reject) => waiting.set(message.number, { resolve, reject }));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage(message);
    return answered as Promise<never>;
  };
  return {
    prune: (...values) => ask("prune", ...values),
    moment: (...values) => ask("moment", ...values),
    async close() {
      await worker?.terminate();
    },
  };
}
