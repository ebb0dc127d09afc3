import { InputError } from "../../admin/run-verb.ts";
import { verbPath } from "../../admin/verb-path.ts";
import type { FieldProblem } from "../../terms/fault.ts";
import { isJsonObject, type JsonObject, readJsonExactly } from "../../terms/json.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { OperatorError, type OperatorErrorCode } from "../../terms/operator-error.ts";
import { type Remote, TOKEN_VARIABLE } from "./find-remote.ts";
import { RemoteDefect } from "./remote-defect.ts";
import { createEventReader } from "./read-events.ts";
import { bytesOf, openReply, readReply, type RemoteReply, unreachable } from "./post-to-remote.ts";
import type { Pieces } from "../write-text.ts";

const EVENTS = "text/event-stream";

/**
 * Carries out a verb in the service, under the name of the token's operator, and repeats what it says meanwhile.
 * @throws OperatorError, RemoteDefect
 */
export async function askRemote(
  remote: Remote,
  name: string,
  input: object,
  { note, onProgress }: Told,
): Promise<JsonObject> {
  const accept = { Accept: `application/json, ${EVENTS}` };
  const incoming = await openReply(remote, verbPath(name), JSON.stringify(input), accept);
  const { "datarun-api": isOurs, "content-type": type = "" } = incoming.headers;
  // An older service answers at once, and what is refused is always answered so.
  if (isOurs === undefined || !type.startsWith(EVENTS))
    return readAnswer(remote, await readReply(incoming, remote), note);
  const read = createEventReader();
  for await (const bytes of bytesOf(incoming, remote)) {
    for (const { event, data } of read(bytes)) {
      if (event === "result") return readObject(data);
      if (event === "error") throw toError(readObject(data)["error"] as unknown as RemoteError);
      if (event === "note") note((JSON.parse(data) as { says: string }).says);
      if (event !== "progress") continue;
      const { what, done, of } = JSON.parse(data) as { what: string; done: number; of?: number };
      onProgress(what, done, of);
    }
  }
  throw unreachable(remote, "it hung up");
}

/** The same for a verb that answers with a text. */
export async function* readRemote(
  remote: Remote,
  name: string,
  input: object,
  note: (sentence: string) => void,
): Pieces {
  const incoming = await openReply(remote, verbPath(name), JSON.stringify(input));
  const { statusCode, headers } = incoming;
  if (statusCode !== 200 || headers["datarun-api"] === undefined)
    return readAnswer(remote, await readReply(incoming, remote), note);
  readNotes(headers["datarun-notes"]).forEach(note);
  const text = new TextDecoder();
  for await (const bytes of bytesOf(incoming, remote)) yield text.decode(bytes, { stream: true });
  const { "datarun-notes": notes, "datarun-result": result } = incoming.trailers;
  readNotes(notes).forEach(note);
  if (typeof result !== "string") throw new RemoteDefect("The service's answer has no end.");
  return JSON.parse(decodeURIComponent(result)) as JsonObject;
}

function readAnswer(remote: Remote, reply: RemoteReply, note: (sentence: string) => void): JsonObject {
  if (reply.headers["datarun-api"] === undefined) {
    throw new OperatorError(
      "unavailable",
      `What answers at ${remote.url.href} (status ${reply.status}) is not the admin API of datarun. Give the address of its admin port.`,
    );
  }
  const value = readObject(reply.text);
  readNotes(reply.headers["datarun-notes"]).forEach(note);
  if (reply.status === 200) return value;
  throw toError(value["error"] as unknown as RemoteError);
}

function readObject(text: string): JsonObject {
  const value = readJsonExactly(text);
  if (!isJsonObject(value)) throw new RemoteDefect("The service's answer is not an object.");
  return value;
}

/** What is said while it is done. */
export interface Told {
  note(sentence: string): void;
  readonly onProgress: OnProgress;
}

interface RemoteError {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly FieldProblem[];
}

const OWN_CODES: readonly string[] = ["usage", "invalid", "not_found", "refused", "unavailable"] satisfies OperatorErrorCode[]; // prettier-ignore

/** The same error as if the verb had been run here. */
function toError({ code, message, details }: RemoteError): Error {
  if (details !== undefined) return new InputError(details);
  if (OWN_CODES.includes(code)) return new OperatorError(code as OperatorErrorCode, message);
  if (code === "internal") return new RemoteDefect(`${message} The service's log has the cause.`);
  const which = code === "unauthenticated" ? `${TOKEN_VARIABLE}: ` : "";
  return new OperatorError("refused", which + message);
}

function readNotes(header: string | string[] | undefined): readonly string[] {
  return typeof header === "string" ? (JSON.parse(decodeURIComponent(header)) as string[]) : [];
}
