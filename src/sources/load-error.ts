/**
 * A file of a project folder that cannot be used. It stops a start, and `datarun dev` reports it. A reason that begins with
 * a line and a column makes a message that editors can jump from.
 */
export class LoadError extends Error {
  readonly file: string;
  readonly reason: string;
  constructor(file: string, reason: string, cause?: unknown) {
    super(`${file}:${/^\d+:\d+: /.test(reason) ? "" : " "}${reason}`, cause === undefined ? undefined : { cause });
    this.name = "LoadError";
    this.file = file;
    this.reason = reason;
  }
}
