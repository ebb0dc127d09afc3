import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/**
 * Replaces an author's file atomically: it always has either the old or the new text. Keeps the file's mode. Follows a
 * symbolic link.
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
