/** A file of a project folder that cannot be used. It stops a start, and `datarun dev` reports it. */
export class LoadError extends Error {
  readonly file: string;
  readonly reason: string;
  /** Where in the file, if that is known. */
  readonly line: number | undefined;
  constructor(file: string, reason: string, cause?: unknown, line?: number) {
    super(`${file}${line === undefined ? "" : `:${line}`}: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = "LoadError";
    this.file = file;
    this.reason = reason;
    this.line = line;
  }
}
