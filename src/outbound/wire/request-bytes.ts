/** One request, in the form in which a connection sends it. */
export interface WireRequest {
  readonly method: string;
  /** Path and query; for a proxy, the absolute URL. */
  readonly path: string;
  /** Names and values alternating. They have been checked, and are sent unchanged. */
  readonly fields: readonly string[];
  readonly body: Buffer | string | null;
  readonly bodyBytes: number;
}

/** The bytes of a request. */
export interface RequestBytes {
  /** The head, and the body if it too has only one byte per character. */
  readonly text: string;
  /** The rest of the body, sent as UTF-8 if it is text. */
  readonly body: Buffer | string | null;
}

const NOT_IN_TARGET = /[^\x21-\x7e]/;
/** Methods that expect a body: without one they send `content-length: 0` (RFC 9110, 8.6). */
const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

/** @throws TypeError if the target cannot be part of a request line */
export function requestBytes(
  { method, path, fields, body, bodyBytes: length }: WireRequest,
  host: string,
): RequestBytes {
  if (path === "" || NOT_IN_TARGET.test(path)) throw new TypeError("the address cannot be part of a request line");
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let at = 0; at < fields.length; at += 2) head += `${fields[at]}: ${fields[at + 1]}\r\n`;
  if (length === 0) return { text: `${head}${WITH_BODY.has(method) ? "content-length: 0\r\n" : ""}\r\n`, body: null };
  head += `content-length: ${length}\r\n\r\n`;
  const isPlain = typeof body === "string" && body.length === length;
  return isPlain ? { text: head + body, body: null } : { text: head, body: body };
}
