import { signal } from "@preact/signals";

/** The command that starts `datarun` on the machine of the service, such as `npx datarun`. */
export const program = signal("datarun");

/**
 * At the start of a line, after a quotation mark, or after a colon. It matches what `asTyped` of the command line
 * finds.
 */
const COMMAND = /(?<=^\s*|["'`(]|: )datarun(?=\s\S)/gm;

/** The text with its commands in the form that works on that machine. */
export function typed(text: string): string {
  return text.replace(COMMAND, () => program.value);
}
