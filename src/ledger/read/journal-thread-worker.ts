/** The thread started by `journal-thread.ts`. */
import { parentPort, workerData } from "node:worker_threads";
import { OperatorError } from "../../terms/operator-error.ts";
import { openJournalReader, type JournalReader } from "./journal-reader.ts";
import type { AskedQuestion, GivenAnswer } from "./journal-thread.ts";

const port = parentPort!;
let reader: JournalReader | null = null;

port.on("message", (message: AskedQuestion) => {
  void answer(message).then((given) => port.postMessage(given));
});

async function answer({ number, question, asked }: AskedQuestion): Promise<GivenAnswer> {
  try {
    reader ??= openJournalReader(workerData as { dir: string });
    const ask = reader[question] as (...values: readonly unknown[]) => Promise<unknown>;
    return { number, answer: await ask(...asked) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { number, failed: { message, code: error instanceof OperatorError ? error.code : null } };
  }
}
