/**
 * A file of a project folder, a source or a function, that cannot be used. It stops a start, and `datarun dev` reports it.
 * A reason that begins with a line and a column makes a message that editors can jump from.
 */
export class LoadError extends Error {
  readonly file: string;
  readonly reason: string;

  /** @param problems one sentence, or several that are joined */
  constructor(file: string, problems: string | readonly string[], cause?: unknown) {
    const reason = typeof problems === "string" ? problems : problems.join("; ");
    super(`${file}:${/^\d+:\d+: /.test(reason) ? "" : " "}${reason}`, cause === undefined ? undefined : { cause });
    this.name = "LoadError";
    this.file = file;
    this.reason = reason;
  }
}
