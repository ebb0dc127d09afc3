/** One file of the console, as browsers receive it. */
export interface ConsoleFile {
  /** `index.html`, or a name with a hash of the content. */
  readonly name: string;
  readonly text: string;
}
