import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { openReader } from "../row-files/open-reader.ts";
import { isReadable } from "../row-files/row-file.ts";
import type { BatchFiles } from "./batch-files.ts";
import type { BatchState } from "./state-file.ts";

/**
 * Replaces the list of the rows that have no answer: those that were rejected, whose answer is lost, or of which nobody
 * knows what became of their request. Without such rows there is no list.
 */
export async function writeFailedRows(files: BatchFiles, state: BatchState, notLookedUp: string | null): Promise<void> {
  const { failed } = files;
  if (state.count("rejected") + state.count("lost") + state.count("asked") === 0) return rm(failed, { force: true });
  const draft = `${failed}.draft`;
  const file = await open(draft, "w", 0o600);
  try {
    for await (const lines of rejectedLines(failed, state)) await file.appendFile(lines);
    for (const [row, run] of state.lostRuns())
      await file.appendFile(line({ row, reasons: ["It was answered, and the answer is lost."], transaction_id: run }));
    for (const [row, ref] of state.unanswered())
      await file.appendFile(
        line({ row, reasons: [`It may have been answered: not looked up. ${notLookedUp ?? ""}`.trim()], ref }),
      );
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, failed);
}

/** What was written when each row was rejected, once. */
async function* rejectedLines(path: string, state: BatchState): AsyncGenerator<string, void, void> {
  if (!existsSync(path)) return;
  const isWritten = new Uint8Array(state.identity.rows + 1);
  const { pieces } = await openReader(path, "jsonl");
  for await (const piece of pieces) {
    // A line that a crash has cut short was written again.
    const lines = piece.filter(isReadable).flatMap(({ values }) => {
      const row = Number(values["row"]);
      if (state.of(row) !== "rejected" || isWritten[row] === 1) return [];
      isWritten[row] = 1;
      return [line(values)];
    });
    yield lines.join("");
  }
}

function line(entry: object): string {
  return `${JSON.stringify(entry)}\n`;
}
