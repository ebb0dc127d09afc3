import { mkdirSync, writeFileSync, chmodSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { AuthoringTools } from "./ports.ts";
import type { SourceFileRef } from "../../drafting/ports.ts";
import { OperatorError } from "../../terms/operator-error.ts";

/** @throws OperatorError */
export function requireFile(tools: AuthoringTools, id: string): SourceFileRef {
  const file = tools.fileOf(id);
  if (file === undefined) throw new OperatorError("not_found", `There is no file of the source ${id}.`);
  return file;
}

/** The path of a file relative to the current folder. */
export function shownPath(path: string): string {
  return relative(process.cwd(), path);
}

/**
 * Creates a file for an author to continue with, and its folder if it is missing. Never overwrites a file.
 * @throws OperatorError
 */
export function writeNewFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw fileExists(path);
  }
}

export function fileExists(path: string): OperatorError {
  return new OperatorError("refused", `The file ${shownPath(path)} exists already.`);
}

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
