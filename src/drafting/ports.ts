/** The parts of the service that drafting sources uses. */
import type { RunnableSource } from "../run/ports.ts";
import type { CaseParts } from "../simulation/ports.ts";

/** The user of the terminal, or a program in its place. */
export interface Terminal {
  /** Whether a person can answer questions. */
  readonly interactive: boolean;
  /** Reads one line, without its line break; `null` at the end of input. */
  ask(question: string): Promise<string | null>;
  /** Reads all of standard input. @throws OperatorError if it is too long */
  readAll(): Promise<string>;
}

/** The tools that draft sources. */
export interface DraftingTools {
  /** The project folder, if there is one. */
  readonly project: string | undefined;
  /** The problems of files without a usable source, each a sentence. */
  readonly problems: readonly string[];
  fileOf(id: string): SourceFileRef | undefined;
  /** The parts for running cases. */
  readonly cases: CaseParts;
  /** The version of the service. */
  version(): string;
  /** Compiles the text of a declarative source as the service would. @throws Error that names file, line and column */
  compile(text: string, file: string): RunnableSource;
}

export interface SourceFileRef {
  readonly path: string;
  readonly from: "catalog" | "package" | "project";
}
