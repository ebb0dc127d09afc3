/** A function file that cannot be used. The message names the file and says why, for whoever starts the service. */
export class FunctionLoadError extends Error {
  override readonly name = "FunctionLoadError";
  readonly file: string;
  readonly reason: string;

  constructor(file: string, problems: readonly string[], cause?: unknown) {
    const reason = problems.join("; ");
    super(`${file}: ${reason}`, { cause });
    this.file = file;
    this.reason = reason;
  }
}
