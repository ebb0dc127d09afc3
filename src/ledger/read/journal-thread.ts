import { Worker } from "node:worker_threads";
import { compiledCode } from "../../terms/platform/compiled-code.ts";
import { moduleBeside } from "../../terms/platform/module-beside.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { OperatorError, type OperatorErrorCode } from "../../terms/operator-error.ts";
import type { LedgerAnswers } from "./ledger-reader.ts";

/**
 * Answers queries to the journal in its own thread, one after another, because large reads would delay every run in the
 * service. The thread starts with the first query and ends with `close`.
 */
export interface JournalThread extends LedgerAnswers {
  close(): Promise<void>;
}

export interface ThreadQuestion {
  readonly number: number;
  readonly question: keyof LedgerAnswers;
  readonly values: readonly unknown[];
}

export interface ThreadAnswer {
  readonly number: number;
  /** Progress of a query that is still running. */
  readonly progress?: Parameters<OnProgress>;
  readonly answer?: unknown;
  /** The part of an error that crosses threads; `code` is that of an `OperatorError`. */
  readonly failed?: { readonly message: string; readonly code: OperatorErrorCode | null };
}

interface PendingQuestion {
  readonly onProgress: OnProgress | undefined;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function openJournalThread(options: { readonly dir: string }): JournalThread {
  const waiting = new Map<number, PendingQuestion>();
  let worker: Worker | null = null;
  let lastNumber = 0;

  const start = (): Worker => {
    const started = new Worker(moduleBeside("./journal-thread-worker.ts", import.meta.url), {
      name: "ledger-questions",
      workerData: options,
      env: compiledCode(),
    });
    started.unref();
    started.on("message", ({ number, answer, failed, progress }: ThreadAnswer) => {
      const one = waiting.get(number);
      if (progress !== undefined) return one?.onProgress?.(...progress);
      waiting.delete(number);
      if (failed === undefined) one?.resolve(answer);
      else
        one?.reject(failed.code === null ? new Error(failed.message) : new OperatorError(failed.code, failed.message));
    });
    const end = (error: Error): void => {
      if (worker === started) worker = null;
      for (const one of waiting.values()) one.reject(error);
      waiting.clear();
    };
    started.on("error", end);
    started.on("exit", () => end(new OperatorError("unavailable", "The thread that reads the ledger has ended.")));
    return started;
  };
  const ask = (question: keyof LedgerAnswers, values: readonly unknown[], onProgress?: OnProgress): Promise<never> => {
    const thread = (worker ??= start());
    lastNumber += 1;
    const message: ThreadQuestion = { number: lastNumber, question, values: values };
    const answered = new Promise<unknown>((resolve, reject) =>
      waiting.set(message.number, { onProgress, resolve, reject }),
    );
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage(message);
    return answered as Promise<never>;
  };
  const forward =
    <Question extends keyof LedgerAnswers>(question: Question) =>
    (...values: Parameters<LedgerAnswers[Question]>) =>
      ask(question, values);
  return {
    list: forward("list"),
    count: forward("count"),
    show: forward("show"),
    find: forward("find"),
    // A function cannot be sent to a thread. The thread sends back the arguments of its calls.
    summary: (month, { onProgress, ...options } = {}) => ask("summary", [month, options], onProgress),
    spend: (by, filter, onProgress) => ask("spend", [by, filter], onProgress),
    // It ends with the thread.
    makeTotals: () => ask("makeTotals", []),
    sumStarts: forward("sumStarts"),
    unknown: forward("unknown"),
    lastUses: forward("lastUses"),
    exportPage: forward("exportPage"),
    countUnknown: forward("countUnknown"),
    budgetRejections: forward("budgetRejections"),
    activity: forward("activity"),
    functionActivity: forward("functionActivity"),
    history: (filter, onProgress) => ask("history", [filter], onProgress),
    reconcile: forward("reconcile"),
    prune: (startedBefore, { onProgress, ...options } = {}) => ask("prune", [startedBefore, options], onProgress),
    verify: (onProgress) => ask("verify", [], onProgress),
    moment: forward("moment"),
    async close() {
      await worker?.terminate();
    },
  };
}
