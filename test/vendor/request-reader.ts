/** One request as it arrived, with nothing normalised away. */
export interface RecordedRequest {
  readonly method: string;
  /** The request target as it was in the request line. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case; a repeated one is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Every header line as it was sent. */
  readonly headerLines: readonly string[];
  readonly body: Buffer;
  /** Which connection brought it, from 1. */
  readonly connection: number;
}

/** Cuts what a connection brings into requests: by content-length or chunks, several on one connection. */
export class RequestReader {
  readonly #connection: number;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(connection: number) {
    this.#connection = connection;
  }

  add(chunk: Buffer): RecordedRequest[] {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const requests: RecordedRequest[] = [];
    for (let request = this.#next(); request !== null; request = this.#next()) requests.push(request);
    return requests;
  }

  #next(): RecordedRequest | null {
    const end = this.#bytes.indexOf("\r\n\r\n");
    if (end === -1) return null;
    const [line, ...headerLines] = this.#bytes.toString("latin1", 0, end).split("\r\n");
    const headers = readHeaders(headerLines);
    const rest = this.#bytes.subarray(end + 4);
    const read = headers["transfer-encoding"] === undefined ? readSized(rest, headers) : readChunks(rest);
    if (read === null) return null;
    this.#bytes = read.rest;
    const [method = "", target = ""] = line!.split(" ");
    const url = new URL(target, "http://vendor.invalid");
    return {
      method,
      target,
      path: url.pathname,
      query: url.searchParams,
      headers,
      headerLines,
      body: read.body,
      connection: this.#connection,
    };
  }
}

interface Read {
  readonly body: Buffer;
  readonly rest: Buffer;
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

function readSized(bytes: Buffer, headers: Readonly<Record<string, string>>): Read | null {
  const length = Number(headers["content-length"] ?? 0);
  if (bytes.length < length) return null;
  return { body: bytes.subarray(0, length), rest: bytes.subarray(length) };
}

function readChunks(bytes: Buffer): Read | null {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return null;
    if (size === 0) return { body: Buffer.concat(parts), rest: bytes.subarray(next) };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
