import type { InsideLog } from "./bridge.ts";
import { stringify, textOf } from "./intrinsics.ts";
import { LOG_CHARACTERS } from "./bridge-limits.ts";

/** `console` for code that expects one. Its lines go to the service's log, within the same limits as `log`. */
export function installConsole(scope: Record<string, unknown>, log: InsideLog): void {
  const info = (...words: unknown[]): void => log.info(line(words));
  const warn = (...words: unknown[]): void => log.warn(line(words));
  scope.console = { log: info, info, debug: info, trace: info, warn, error: warn };
}

function line(words: readonly unknown[]): string {
  let text = "";
  for (let at = 0; at < words.length && text.length < LOG_CHARACTERS; at += 1)
    text += (at === 0 ? "" : " ") + word(words[at]);
  return text;
}

function word(value: unknown): string {
  if (typeof value !== "object" || value === null || value instanceof Error) return textOf(value, LOG_CHARACTERS);
  try {
    return stringify(value) ?? "";
  } catch {
    return "(not JSON)";
  }
}
