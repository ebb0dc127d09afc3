import { signal } from "@preact/signals";

/** How a command on this deployment starts on the service's machine, such as `npx datarun`. */
export const program = signal("datarun");

/** At the start of the text, after a quotation mark, or after a colon: as `asTyped` of the command line finds them. */
const COMMAND = /(?<=^\s*|["'`(]|: )datarun(?=\s\S)/gm;

/** The text with its commands as they are typed there. */
export function typed(text: string): string {
  return text.replace(COMMAND, () => program.value);
}
