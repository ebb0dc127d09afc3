import { InputError } from "../../admin/run-verb.ts";
import { verbPath } from "../../admin/verb-path.ts";
import type { FieldProblem } from "../../terms/fault.ts";
import { isJsonObject, type JsonObject, readJsonExactly } from "../../terms/json.ts";
import { OperatorError, type OperatorErrorCode } from "../../terms/operator-error.ts";
import { type Remote, TOKEN_VARIABLE } from "./find-remote.ts";
import { RemoteDefect } from "./remote-defect.ts";
import { bytesOf, openReply, postToRemote, readReply, type RemoteReply } from "./post-to-remote.ts";
import type { Pieces } from "../write-text.ts";

/**
 * Carries out a verb in the service, under the name of the token's operator, and repeats its remarks.
 * @throws OperatorError, RemoteDefect
 */
export async function askRemote(
  remote: Remote,
  name: string,
  input: object,
  note: (sentence: string) => void,
): Promise<JsonObject> {
  const reply = await postToRemote(remote, verbPath(name), JSON.stringify(input));
  return readAnswer(remote, reply, note);
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
  const value = readJsonExactly(reply.text);
  if (!isJsonObject(value)) throw new RemoteDefect("The service's answer is not an object.");
  readNotes(reply.headers["datarun-notes"]).forEach(note);
  if (reply.status === 200) return value;
  throw toError(value["error"] as unknown as RemoteError);
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
