import { verbPath } from "../../find-verbs.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import type { OnProgress } from "../../../terms/on-progress.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import type { Remote } from "./find-remote.ts";
import { RemoteDefect, readError, readNote, readNotes, readObject, readProgress } from "./read-answer.ts";
import { createEventReader } from "./read-events.ts";
import { bytesOf, openReply, readReply, REPLY_BYTES_MAX, type RemoteReply, unreachable } from "./post-to-remote.ts";
import type { Pieces } from "../write-text.ts";

const EVENTS = "text/event-stream";

/**
 * Runs a verb in a remote service as the token's operator, and repeats its remarks and progress.
 * @throws OperatorError, RemoteDefect
 */
export async function askRemote(
  remote: Remote,
  name: string,
  input: object,
  { note, onProgress }: RemoteObserver,
): Promise<JsonObject> {
  const accept = { Accept: `application/json, ${EVENTS}` };
  const incoming = await openReply(remote, verbPath(name), JSON.stringify(input), accept);
  const { "datarun-api": isOurs, "content-type": type = "" } = incoming.headers;
  // Refusals are plain JSON without events.
  if (isOurs === undefined || !type.startsWith(EVENTS))
    return readAnswer(remote, await readReply(incoming, remote), note);
  const read = createEventReader(REPLY_BYTES_MAX);
  for await (const bytes of bytesOf(incoming, remote)) {
    const events = read(bytes);
    if (events === null) throw unreachable(remote, "the answer is too large");
    for (const { event, data } of events) {
      if (event === "result") return readObject(data);
      if (event === "error") throw readError(readObject(data));
      if (event === "note") note(readNote(data));
      if (event === "progress") onProgress(...readProgress(data));
    }
  }
  throw unreachable(remote, "it closed the connection");
}

/** The same for a verb that produces a text. */
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
  const text = headers["content-type"]?.includes("charset") === true ? new TextDecoder() : null;
  for await (const bytes of bytesOf(incoming, remote)) yield text?.decode(bytes, { stream: true }) ?? bytes;
  const { "datarun-notes": notes, "datarun-result": result } = incoming.trailers;
  readNotes(notes).forEach(note);
  if (typeof result !== "string") throw new RemoteDefect("The service's answer has no end.");
  return readObject(unescaped(result));
}

/** Decodes the percent-encoded result after a text. @throws RemoteDefect */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new RemoteDefect("The service's answer has no readable end.", { cause });
  }
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
  throw readError(value);
}

/** Repeats the remarks and progress of a running verb. */
export interface RemoteObserver {
  note(sentence: string): void;
  readonly onProgress: OnProgress;
}
