/** Answers the desk's questions one after another. */
import { parentPort, workerData } from "node:worker_threads";
import type { AskedQuestion, GivenAnswer } from "./ledger-desk.ts";
import { openLedgerReader, type LedgerReader } from "./ledger-reader.ts";

const port = parentPort!;
let reader: LedgerReader | null = null;

port.on("message", ({ number, question, asked }: AskedQuestion) => {
  port.postMessage(answer(number, question, asked));
});

function answer(number: number, question: AskedQuestion["question"], asked: readonly unknown[]): GivenAnswer {
  try {
    reader ??= openLedgerReader(workerData as { dir: string });
    const ask = reader[question] as (...values: readonly unknown[]) => unknown;
    return { number, answer: ask(...asked) };
  } catch (error) {
    return { number, failed: error instanceof Error ? error.message : String(error) };
  }
}
