import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/**
 * Writes a file of an author at once: whatever happens meanwhile, it has its old text or the new one, and never a part.
 * It keeps its mode; through a link, the file that it leads to is written.
 */
export function replaceFile(path: string, text: string): void {
  const before = statSync(path, { throwIfNoEntry: false });
  const file = before === undefined ? path : realpathSync(path);
  const beside = `${file}.${process.pid}.part`;
  try {
    writeFileSync(beside, text, { flush: true, mode: before?.mode });
    if (before !== undefined) chmodSync(beside, before.mode);
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
