/** The thread started by `pruning-thread.ts`. */
import { parentPort, workerData } from "node:worker_threads";
import { openJournalReader, type JournalReader } from "./journal-reader.ts";
import type { AskedQuestion, GivenAnswer } from "./pruning-thread.ts";

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
    return { number, failed: error instanceof Error ? error.message : String(error) };
  }
}
