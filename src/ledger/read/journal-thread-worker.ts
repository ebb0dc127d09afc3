/** The thread started by `journal-thread.ts`. */
import { parentPort, workerData } from "node:worker_threads";
import { OperatorError } from "../../terms/operator-error.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { openJournalReader, type JournalReader } from "./journal-reader.ts";
import type { SpendFilter, SpendKey } from "./sum-spend.ts";
import type { HistoryFilter } from "../history/sum-history.ts";
import type { LedgerAnswers } from "./ledger-reader.ts";
import type { ThreadQuestion, ThreadAnswer } from "./journal-thread.ts";

const port = parentPort!;
let reader: JournalReader | null = null;

port.on("message", (message: ThreadQuestion) => {
  void answer(message).then((given) => port.postMessage(given));
});

interface Question extends Omit<ThreadQuestion, "number"> {
  readonly onProgress: OnProgress;
}

function ask(open: JournalReader, { question, values: asked, onProgress }: Question): Promise<unknown> {
  if (question === "verify") return open.verify(onProgress);
  if (question === "spend") return open.spend(...(asked as [SpendKey, SpendFilter]), onProgress);
  if (question === "history") return open.history(...(asked as [HistoryFilter]), onProgress);
  if (question === "summary") {
    const [month, options] = asked as Parameters<LedgerAnswers["summary"]>;
    return open.summary(month, { ...options, onProgress });
  }
  if (question === "prune") {
    const [startedBefore, options] = asked as Parameters<LedgerAnswers["prune"]>;
    return open.prune(startedBefore, { ...options, onProgress });
  }
  return (open[question] as (...values: readonly unknown[]) => Promise<unknown>)(...asked);
}

async function answer({ number, question, values: asked }: ThreadQuestion): Promise<ThreadAnswer> {
  try {
    reader ??= openJournalReader(workerData as { dir: string });
    const onProgress: OnProgress = (...progress) => port.postMessage({ number, progress } satisfies ThreadAnswer);
    return { number, answer: await ask(reader, { question, values: asked, onProgress }) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { number, failed: { message, code: error instanceof OperatorError ? error.code : null } };
  }
}
