import { shellWord } from "./shell-word.ts";

/** The command that does the same as the page with this input. */
export function commandOf(verb: string, input: object): string {
  const options = Object.entries(input).map(
    ([name, value]) => ` --${name.replaceAll("_", "-")} ${shellWord(String(value))}`,
  );
  return `datarun ${verb}${options.join("")}`;
}
