import { relative } from "node:path";
import type { SourceFile, AuthoringTools } from "./ports.ts";
import { OperatorError } from "../../terms/operator-error.ts";

/** @throws OperatorError */
export function requireFile(tools: AuthoringTools, id: string): SourceFile {
  const file = tools.fileOf(id);
  if (file === undefined) throw new OperatorError("not_found", `There is no file of the source ${id}.`);
  return file;
}

/** The path of a file relative to the current folder. */
export function shownPath(path: string): string {
  return relative(process.cwd(), path);
}
