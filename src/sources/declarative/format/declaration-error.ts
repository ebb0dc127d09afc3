/** The codes of all errors in source files. They are stable: the reference lists them, and tools may rely on them. */
export type DeclarationCode =
  | "yaml.syntax"
  | "yaml.leading_zero"
  | "yaml.number_too_large"
  | "yaml.number_form"
  | "format.unknown_key"
  | "format.missing_key"
  | "format.value"
  | "template.syntax"
  | "template.unknown_name"
  | "template.unknown_filter"
  | "template.misplaced"
  | "expression.syntax"
  | "expression.slip"
  | "expression.unknown_name"
  | "expression.unknown_function"
  | "schema.invalid"
  | "url.invalid"
  | "url.origin"
  | "request.header"
  | "request.duplicate"
  | "request.body";

export interface DeclarationPosition {
  readonly file: string;
  /** Counted from 1, as in editors. */
  readonly line: number;
  readonly column: number;
}

/**
 * A problem of a source file, with its position and a correction. The message is one line in a form from which editors
 * can jump to the position.
 */
export class DeclarationError extends Error {
  readonly code: DeclarationCode;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly problem: string;
  readonly hint: string | undefined;

  constructor(code: DeclarationCode, position: DeclarationPosition, problem: string, hint?: string) {
    const { file, line, column } = position;
    super(`${file}:${line}:${column}: ${problem}${hint === undefined ? "" : ` (${hint})`} [${code}]`);
    this.name = "DeclarationError";
    this.code = code;
    this.file = file;
    this.line = line;
    this.column = column;
    this.problem = problem;
    this.hint = hint;
  }
}
