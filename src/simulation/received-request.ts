import type { IncomingMessage } from "node:http";
import { readMultipart } from "./read-multipart.ts";

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
  const read: Record<string, string | readonly string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = Object.hasOwn(read, name) ? read[name] : undefined;
    Object.defineProperty(read, name, {
      value: before === undefined ? value : [...(typeof before === "string" ? [before] : before), value],
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return read;
}
