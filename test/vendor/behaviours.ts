import type { Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { RecordedRequest } from "./request-reader.ts";

/** How a vendor answers one request: by writing whatever bytes it likes to the connection that brought it. */
export type Behaviour = (socket: Socket, request: RecordedRequest) => void;

export interface AnswerOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

// ---- well-behaved --------------------------------------------------------------------------------------------------

export function json(value: unknown, options: AnswerOptions = {}): Behaviour {
  return body(JSON.stringify(value), {
    ...options,
    headers: { "content-type": "application/json", ...options.headers },
  });
}

/** A correct answer with these bytes. */
export function body(content: string | Buffer, { status = 200, headers = {} }: AnswerOptions = {}): Behaviour {
  const bytes = Buffer.from(content);
  return raw(Buffer.concat([Buffer.from(head(status, { ...headers, "content-length": String(bytes.length) })), bytes]));
}

/** A correct answer without a body. */
export function bare(status: number, headers: Readonly<Record<string, string>> = {}): Behaviour {
  const length: Record<string, string> = status === 204 || status === 304 ? {} : { "content-length": "0" };
  return raw(head(status, { ...length, ...headers }));
}

export const echo: Behaviour = (socket, request) =>
  json({
    method: request.method,
    target: request.target,
    headers: request.headers,
    body: request.body.toString("utf8"),
  })(socket, request);

export function after(delayMs: number, behaviour: Behaviour): Behaviour {
  return (socket, request) => {
    const cancel = () => clearTimeout(timer);
    const timer = setTimeout(() => {
      socket.off("close", cancel);
      behaviour(socket, request);
    }, delayMs);
    socket.once("close", cancel);
  };
}

/** One behaviour for each request in turn; the last one stays. */
export function inTurn(...behaviours: readonly Behaviour[]): Behaviour {
  let turn = 0;
  return (socket, request) => {
    const behaviour = behaviours[Math.min(turn, behaviours.length - 1)]!;
    turn += 1;
    behaviour(socket, request);
  };
}

// ---- hostile -------------------------------------------------------------------------------------------------------

/** Exactly these bytes, whatever they are. */
export function raw(bytes: string | Buffer): Behaviour {
  return (socket) => void socket.write(bytes);
}

/** These bytes, then the end of the connection: in good order (FIN). */
export function rawThenEnd(bytes: string | Buffer): Behaviour {
  return (socket) => void socket.end(bytes);
}

/** These bytes, then a reset (RST). */
export function rawThenReset(bytes: string | Buffer): Behaviour {
  return (socket) => {
    // Sent first on its own, so that the reset cannot overtake it.
    if (bytes.length === 0) socket.resetAndDestroy();
    else socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 20));
  };
}

export const hang: Behaviour = () => {};

/** A correct head, then a byte every so often, for ever. */
export function drip(everyMs: number): Behaviour {
  return (socket) => {
    socket.write(head(200, { "transfer-encoding": "chunked" }));
    const timer = setInterval(() => socket.write("1\r\n \r\n"), everyMs);
    socket.once("close", () => clearInterval(timer));
  };
}

/** A body that never ends, as fast as it is taken. */
export const endless: Behaviour = (socket) => {
  const piece = `10000\r\n${" ".repeat(0x10000)}\r\n`;
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on("drain", more);
  socket.write(head(200, { "transfer-encoding": "chunked" }));
  more();
};

/** `mib` MiB of nothing, which gzip makes about a thousand times smaller. */
export function gzipBomb(mib: number): Behaviour {
  // A gzip stream may have several members: one, made once, is repeated.
  const memberMib = Math.min(mib, 8);
  const member = gzipSync(Buffer.alloc(memberMib * 1024 * 1024, 0x20));
  const bomb = Buffer.concat(Array.from({ length: mib / memberMib }, () => member));
  return body(bomb, { headers: { "content-encoding": "gzip" } });
}

export function head(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${status < 400 ? "OK" : "No"}\r\n${lines.join("")}\r\n`;
}

const RECORD = '{"name":"Ada","score":12345678901234567890}';
const CHUNKED_HEAD = head(200, { "transfer-encoding": "chunked" });

/**
 * By the first segment of the path, so that a test needs no script: `/reset`, `/status/503`, `/delay/50`. The second
 * segment is the argument.
 */
export const STANDARD: Readonly<Record<string, (argument: string) => Behaviour>> = {
  json: () => body(RECORD, { headers: { "content-type": "application/json" } }),
  echo: () => echo,
  delay: (ms) => after(Number(ms), json({ name: "Ada" })),
  status: (status) => json({ error: "as asked" }, { status: Number(status) }),
  connection: () => (socket, request) => json({ connection: request.connection })(socket, request),
  redirect: (status) => bare(Number(status), { location: "/json" }),

  "close-before-headers": () => rawThenEnd(""),
  "reset-before-headers": () => rawThenReset(""),
  "close-mid-headers": () => rawThenEnd("HTTP/1.1 200 OK\r\ncontent-le"),
  "reset-mid-headers": () => rawThenReset("HTTP/1.1 200 OK\r\ncontent-le"),
  "close-mid-body": () => rawThenEnd(`${head(200, { "content-length": "100" })}{"a":1}`),
  "reset-mid-body": () => rawThenReset(`${head(200, { "content-length": "100" })}{"a":1}`),
  "short-length": () => rawThenEnd(`${head(200, { "content-length": "8", connection: "close" })}{"a":1}`),
  "missing-last-chunk": () => rawThenEnd(`${CHUNKED_HEAD}7\r\n{"a":1}\r\n`),
  "reset-without-length": () => rawThenReset(`${head(200, { connection: "close" })}{"a":1}`),
  "reset-mid-chunk": () => rawThenReset(`${CHUNKED_HEAD}ff\r\n{"a":1}`),
  hang: () => hang,
  drip: (ms) => drip(Number(ms || 10)),
  endless: () => endless,
  "huge-length": () => raw(`${head(200, { "content-length": String(2 ** 30) })}{`),
  "longer-than-length": () => raw(`${head(200, { "content-length": "7" })}{"a":1}, {"b":2}`),

  gzip: () => body(gzipSync(RECORD), { headers: { "content-encoding": "gzip" } }),
  "gzip-bomb": (mib) => gzipBomb(Number(mib || 200)),
  "not-gzip": () => body(RECORD, { headers: { "content-encoding": "gzip" } }),
  "truncated-gzip": () => body(gzipSync(RECORD).subarray(0, 20), { headers: { "content-encoding": "gzip" } }),
  "double-gzip": () => body(gzipSync(gzipSync(RECORD)), { headers: { "content-encoding": "gzip, gzip" } }),
  "hidden-double-gzip": () => body(gzipSync(gzipSync(RECORD)), { headers: { "content-encoding": "gzip" } }),
  deflate: () => body(deflateSync(RECORD), { headers: { "content-encoding": "deflate" } }),
  br: () => body(brotliCompressSync(RECORD), { headers: { "content-encoding": "br" } }),

  html: () => body("<html>Sorry</html>", { headers: { "content-type": "text/html" } }),
  empty: () => body(""),
  "no-content": () => bare(204),
  "truncated-json": () => body('{"name":"A'),
  "invalid-utf8": () => body(Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
  utf16: () => body(Buffer.from("\ufeff{}", "utf16le")),
  deep: (levels) => body('{"a":'.repeat(Number(levels || 5000)) + "1" + "}".repeat(Number(levels || 5000))),
  proto: () => body('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  "infinite-number": () => body('{"a":1e400}'),
  "byte-order-mark": () => body(`\ufeff${RECORD}`),
  list: () => body("[1,2]"),

  "huge-headers": () => body("{}", { headers: { "x-filler": "x".repeat(17 * 1024) } }),
  "bad-header": () => raw("HTTP/1.1 200 OK\r\nx bad\u0000name: 1\r\ncontent-length: 2\r\n\r\n{}"),
  "two-lengths": () => raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 7\r\n\r\n{"a":1}'),
  "same-length-twice": () => raw("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\n{}"),
  garbage: () => raw("SMTP 220 hello\r\n\r\n"),
  banner: () => rawThenEnd("SSH-2.0-OpenSSH_9.6\r\n"),
  "bad-chunk": () => raw(`${CHUNKED_HEAD}7\r\n{"a":1}\r\nno size\r\n`),
  upgrade: () => raw("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: chat\r\n\r\nhello"),
  "continue-flood": () => raw("HTTP/1.1 100 Continue\r\n\r\n".repeat(1000)),
  "hints-flood": () => raw("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(1000)),
  "early-hints": () =>
    raw(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${head(200, { "content-length": "7" })}{"a":1}`),
};
