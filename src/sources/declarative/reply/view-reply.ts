import {
  type MeteredReply,
  ownBytes,
  rawJsonObject,
  type RawReply,
  type Reply,
  reserveParsed,
} from "../../../sdk/http.ts";
import type { Json } from "../../../terms/json/json.ts";
import type { ReplyView } from "../expressions/expression.ts";
import type { ReadingFile } from "../format/exchange-format.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import { readCsv, readForm, readLines } from "./read-text.ts";

interface Reading {
  /** The field `Accept` of requests. */
  readonly accept: string;
  read(reply: Reply, file: ReadingFile): Json;
}

/** Many servers send text of any kind with a general media type. */
const OR_OTHERS = ", */*;q=0.1";

const READINGS: Readonly<Record<NonNullable<ReadingFile["format"]>, Reading>> = {
  json: { accept: "application/json", read: (reply) => reply.json() as Json },
  xml: { accept: "application/xml, text/xml", read: (reply, { lists = [] }) => reply.xml({ lists }) as Json },
  text: { accept: `text/plain${OR_OTHERS}`, read: (reply) => reply.text() },
  lines: { accept: `text/plain${OR_OTHERS}`, read: (reply) => readLines(reply.text(), reserving(reply)) },
  csv: { accept: `text/csv${OR_OTHERS}`, read: (reply, file) => readCsv(reply.text(), file, reserving(reply)) },
  form: {
    accept: `application/x-www-form-urlencoded${OR_OTHERS}`,
    read: (reply) => readForm(reply.text(), reserving(reply)),
  },
};

export function acceptOf(file: ReadingFile = {}): string {
  return READINGS[file.format ?? "json"].accept;
}

/** Refuses keys of another format. @throws DeclarationError */
export function assertReading(file: ReadingFile | undefined, place: DocumentLocation): void {
  for (const key of ["delimiter", "header"] as const) {
    if (file?.[key] === undefined || file.format === "csv") continue;
    place.in(key).refuseKey("format.value", `"${key}" belongs to CSV`, "write format: csv, or remove it");
  }
}

/**
 * Reads a reply for the rules of the file. The body of a success must be readable unless it is empty. The body of any
 * other status is `null` if it cannot be read, because proxies often send HTML in place of the vendor. With `wantsBody`
 * false, no rule uses the body, and it is always `null`.
 */
export function compileView(file: ReadingFile = {}, wantsBody = true): (reply: Reply) => ReplyView {
  const { format = "json" } = file;
  const read = format === "json" && !wantsBody ? seeThatItIsJson : READINGS[format].read;
  return (reply) => ({ status: reply.status, headers: reply.headers, body: bodyOf(reply, read, file) });
}

/** Recognises an object by its bytes, which costs less than parsing it. */
function seeThatItIsJson(answer: Reply): Json {
  try {
    (answer as Reply & RawReply)[rawJsonObject]();
  } catch {
    answer.json();
  }
  return null;
}

function bodyOf(answer: Reply, read: Reading["read"], file: ReadingFile): Json {
  if (bytesOf(answer).length === 0) return null;
  try {
    return read(answer, file);
  } catch (thrown) {
    if (answer.status >= 200 && answer.status < 300) throw thrown;
    return null;
  }
}

function bytesOf(answer: Reply): Buffer {
  return ownBytes in answer ? (answer as Reply & MeteredReply)[ownBytes] : answer.bytes();
}

/** Reserves the memory of a value that is made of the text of a reply. */
function reserving(reply: Reply): (bytes: number) => void {
  return (bytes) => (reply as Reply & Partial<MeteredReply>)[reserveParsed]?.(bytes);
}
