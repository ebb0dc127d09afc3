import { OperatorError } from "../operator-error.ts";

/** Describes why a file named on the command line cannot be used. A rare error is described by its system code. */

const READING: Readonly<Partial<Record<string, string>>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  ENAMETOOLONG: "its name is too long",
  EACCES: "permission denied",
  EPERM: "permission denied",
};

const WRITING: typeof READING = {
  ...READING,
  EEXIST: "it exists already",
  ENOENT: "its folder does not exist",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full for this user",
  EROFS: "the disk can only be read",
};

export function cannotRead(error: NodeJS.ErrnoException, path: string): OperatorError {
  return problem("invalid", `The file ${path} cannot be read`, READING, error);
}

export function cannotWrite(what: "created" | "written", error: NodeJS.ErrnoException, path: string): OperatorError {
  return problem("refused", `The file ${path} cannot be ${what}`, WRITING, error);
}

function problem(code: "invalid" | "refused", what: string, reasons: typeof READING, cause: NodeJS.ErrnoException) {
  return new OperatorError(code, `${what}: ${reasons[cause.code ?? ""] ?? String(cause.code)}.`, { cause });
}
