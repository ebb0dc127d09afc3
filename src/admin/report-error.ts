import { Fault, type FieldProblem } from "../terms/fault.ts";
import { OperatorError, type OperatorErrorCode } from "../terms/operator-error.ts";
import { printable } from "../terms/text/printable.ts";
import { InputError } from "./run-verb.ts";

/** A verb's error as the command line prints it and the admin API answers it. */
export interface ErrorReport {
  readonly code: OperatorErrorCode | "internal";
  readonly message: string;
  /** The problems of the input, field by field. */
  readonly details?: readonly FieldProblem[];
}

/** The text of an unexpected error may contain secrets, so only its class is reported. */
export function reportError(thrown: unknown): ErrorReport {
  if (thrown instanceof InputError) return { code: thrown.code, message: thrown.message, details: thrown.problems };
  if (thrown instanceof OperatorError) return { code: thrown.code, message: thrown.message };
  if (thrown instanceof Fault) return { code: codeOf(thrown), message: thrown.says };
  if (isOfFiles(thrown)) return { code: "unavailable", message: `${printable(thrown.message)}.` };
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  return { code: "internal", message: `The command failed unexpectedly (${name}).` };
}

function codeOf({ row }: Fault): OperatorErrorCode {
  return row.kind === "unavailable" || row.kind === "overloaded" ? "unavailable" : "refused";
}

/** Whether the error is the operating system's; its message contains only the file and the problem. */
function isOfFiles(thrown: unknown): thrown is NodeJS.ErrnoException {
  if (!(thrown instanceof Error)) return false;
  const { errno, syscall, path } = thrown as NodeJS.ErrnoException;
  return typeof errno === "number" && syscall !== undefined && path !== undefined;
}
