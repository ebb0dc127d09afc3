import { relative } from "node:path";
import type { SourceFile, SourceWorkshop, VerbDeps } from "./ports.ts";
import { OperatorError } from "../terms/operator-error.ts";

/** @throws OperatorError where there is none: a service's admin port writes no files and asks no vendors */
export function requireWorkshop({ workshop }: Pick<VerbDeps, "workshop">): Promise<SourceWorkshop> {
  if (workshop === undefined)
    throw new OperatorError("refused", "This is done from a command line, not through the admin API.");
  return workshop();
}

/** @throws OperatorError */
export function requireFile(workshop: SourceWorkshop, id: string): SourceFile {
  const file = workshop.fileOf(id);
  if (file === undefined) throw new OperatorError("not_found", `There is no file of the source ${id}.`);
  return file;
}

/** A file as it is shown to whoever works in the current folder. */
export function shownPath(path: string): string {
  return relative(process.cwd(), path);
}
