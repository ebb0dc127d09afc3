import { InputError } from "../../run-verb.ts";
import type { FieldProblem } from "../../../terms/fault.ts";
import { isJsonObject, type JsonObject, readJsonExactly } from "../../../terms/json/json.ts";
import type { OnProgress } from "../../../terms/on-progress.ts";
import { OperatorError, type OperatorErrorCode } from "../../../terms/operator-error.ts";
import { printable, printableLines } from "../../../terms/text/printable.ts";
import { COMMAND_VARIABLES } from "../../../terms/variables.ts";

/**
 * Reads a remote service's answer as untrusted input: unexpected content is neither written to a terminal nor taken for
 * another kind of answer.
 */

/** A defect of the remote service. The message is safe to print. */
export class RemoteDefect extends Error {}

const OWN_CODES: readonly string[] = [
  "usage",
  "invalid",
  "not_found",
  "refused",
  "unavailable",
] satisfies OperatorErrorCode[];

/** @throws RemoteDefect */
export function readObject(text: string): JsonObject {
  const value = readJson(text);
  if (!isJsonObject(value)) throw new RemoteDefect("The service's answer is not an object.");
  return value;
}

/** The same error as if the verb had run locally. */
export function readError({ error }: JsonObject): Error {
  const { code, message, details } = isJsonObject(error) ? error : {};
  if (typeof code !== "string" || typeof message !== "string")
    return new RemoteDefect("The service has failed, and its reason cannot be read.");
  const says = printableLines(message);
  if (Array.isArray(details)) return new InputError(details.map(readProblem));
  if (OWN_CODES.includes(code)) return new OperatorError(code as OperatorErrorCode, says);
  if (code === "internal") return new RemoteDefect(`${says} The service's log has the cause.`);
  const which = code === "unauthenticated" ? `${COMMAND_VARIABLES.operatorToken}: ` : "";
  return new OperatorError("refused", which + says);
}

/** The remarks in a header; none if the header is malformed. */
export function readNotes(header: string | string[] | undefined): readonly string[] {
  if (typeof header !== "string") return [];
  try {
    const notes: unknown = JSON.parse(decodeURIComponent(header));
    return Array.isArray(notes) ? notes.filter((note) => typeof note === "string") : [];
  } catch {
    return [];
  }
}

/** The remark in an event. @throws RemoteDefect */
export function readNote(text: string): string {
  return textOf(readObject(text)["says"]);
}

/** @throws RemoteDefect */
export function readProgress(text: string): Parameters<OnProgress> {
  const { what, done, of } = readObject(text);
  const [words, count] = [printable(textOf(what)), typeof done === "number" ? done : 0];
  return typeof of === "number" ? [words, count, of] : [words, count];
}

function readProblem(given: unknown): FieldProblem {
  const { path, message } = isJsonObject(given) ? given : {};
  return { path: printable(textOf(path)), message: printable(textOf(message)) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function readJson(text: string): unknown {
  try {
    return readJsonExactly(text);
  } catch (cause) {
    throw new RemoteDefect("The service's answer cannot be read.", { cause });
  }
}
