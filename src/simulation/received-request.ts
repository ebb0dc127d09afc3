import type { IncomingMessage } from "node:http";

/** A request as the vendor received it, in the form that cases use. */
export interface ReceivedRequest {
  readonly method: string;
  /** As sent, still encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  /** As text. A multipart body is the JSON text of its parts, as cases show them. */
  readonly body: string;
}

export const BODY_BYTES_MAX = 10 * 1024 * 1024;

/** Reads a complete request. Rejects if it is cut off or too large. */
export async function readRequest(message: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  const target = message.url ?? "/";
  const at = target.indexOf("?");
  return {
    method: message.method ?? "GET",
    path: at < 0 ? target : target.slice(0, at),
    query: readQuery(at < 0 ? "" : target.slice(at + 1)),
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(", ") : (value ?? ""),
      ]),
    ),
    body: bodyText(Buffer.concat(chunks), message.headers["content-type"]),
  };
}

export function bodyText(bytes: Buffer, type = ""): string {
  const parts = readMultipart(bytes, type);
  return parts === null ? bytes.toString("utf8") : JSON.stringify(parts);
}

export function readQuery(text: string): Record<string, string | readonly string[]> {
  const read = new Map<string, string | readonly string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = read.get(name);
    read.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(read);
}

/** A part with a file, as in `request.body.multipart` of a source. */
interface FilePart {
  /** The content in Base64. */
  readonly file: string;
  readonly name: string;
  readonly type: string;
}

type MultipartPart = string | FilePart;

/** The parts of a body of `multipart/form-data` by name; a name that occurs several times has a list. `null`: it is none. */
export function readMultipart(
  bytes: Buffer,
  contentType: string,
): Record<string, MultipartPart | readonly MultipartPart[]> | null {
  const boundary = /^multipart\/form-data\s*;\s*boundary="?([^";]+)/i.exec(contentType)?.[1];
  if (boundary === undefined) return null;
  const parts = new Map<string, MultipartPart[]>();
  const mark = Buffer.from(`--${boundary}`);
  let start = bytes.indexOf(mark);
  for (let end: number; start >= 0; start = end) {
    start += mark.length + LINE_END.length;
    end = bytes.indexOf(mark, start);
    if (end < 0) break;
    const part = bytes.subarray(start, end - LINE_END.length);
    const headEnd = part.indexOf(LINE_END.repeat(2));
    if (headEnd < 0) continue;
    const head = part.toString("utf8", 0, headEnd);
    const name = /; name="([^"]*)"/.exec(head)?.[1] ?? "";
    parts.set(name, [...(parts.get(name) ?? []), toPart(head, part.subarray(headEnd + 2 * LINE_END.length))]);
  }
  return Object.fromEntries([...parts].map(([name, found]) => [name, found.length === 1 ? found[0]! : found]));
}

const LINE_END = "\r\n";

function toPart(head: string, content: Buffer): MultipartPart {
  const fileName = /; filename="([^"]*)"/.exec(head)?.[1];
  if (fileName === undefined) return content.toString("utf8");
  const type = /^content-type:\s*(.*)$/im.exec(head)?.[1] ?? "";
  return { file: content.toString("base64"), name: fileName.replaceAll("%22", '"'), type };
}
