/** A function file that cannot be used. The message names the file and says why, for whoever starts the service. */
export class FunctionLoadError extends Error {
  override readonly name = "FunctionLoadError";
  readonly file: string;

  constructor(file: string, problems: readonly string[], cause?: unknown) {
    super(problems.map((problem) => `${file}${/^:\d/.test(problem) ? "" : ": "}${problem}`).join("\n"), { cause });
    this.file = file;
  }
}
