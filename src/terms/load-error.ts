/**
 * A file of a project folder, a source or a function, that cannot be used. It prevents a start, and `datarun dev`
 * reports it. If the reason begins with a line and a column, editors can jump from the message to the position.
 */
export class LoadError extends Error {
  readonly file: string;
  readonly reason: string;

  /** @param problems one sentence, or several to join */
  constructor(file: string, problems: string | readonly string[], cause?: unknown) {
    const reason = typeof problems === "string" ? problems : problems.join("; ");
    super(`${file}:${/^\d+:\d+: /.test(reason) ? "" : " "}${reason}`, cause === undefined ? undefined : { cause });
    this.name = "LoadError";
    this.file = file;
    this.reason = reason;
  }
}
