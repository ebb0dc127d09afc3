import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { body, head, raw, type Behaviour } from "../../vendor/behaviours.ts";

const MIB = 1024 * 1024;
const GZIP = { headers: { "content-encoding": "gzip" } };
const CHUNKED = head(200, { "transfer-encoding": "chunked" });

/** Replies that are hostile in their bytes, whatever they contain. */
export const HOSTILE_WIRE: Readonly<Record<string, Behaviour>> = {
  "interim answers without end": raw("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100_000)),
  "chunks of one byte": raw(`${CHUNKED}${"1\r\nx\r\n".repeat(500_000)}0\r\n\r\n`),
  "hundreds of header fields": raw(`HTTP/1.1 200 OK\r\n${"a:b\r\n".repeat(490)}content-length: 2\r\n\r\n{}`),
  "a header of commas": raw(`HTTP/1.1 200 OK\r\nset-cookie: ${",;=".repeat(5_000)}\r\ncontent-length: 2\r\n\r\n{}`),
  "encodings around encodings": raw(
    `HTTP/1.1 200 OK\r\ncontent-encoding: ${"gzip, ".repeat(2_000)}gzip\r\ncontent-length: 2\r\n\r\n{}`,
  ),
  "two hundred thousand gzip members": body(Buffer.concat(Array.from({ length: 200_000 }, () => gzipSync(""))), GZIP),
  "blanks from a few kilobytes of gzip": body(gzipSync(`{"a":1${" ".repeat(9.9 * MIB)}}`), GZIP),
  "lists from a few kilobytes of gzip": body(gzipSync(`{"a":[${"[],".repeat(99_000)}[]]}${" ".repeat(9 * MIB)}`), GZIP),
  "text whose last byte is not UTF-8": body(
    Buffer.concat([Buffer.from(`{"a":"${"é".repeat(2.4 * MIB)}`), Buffer.from([0xff]), Buffer.from('"}')]),
  ),
  "halves of characters": body(`{"a":"${"\\ud83d".repeat(0.8 * MIB)}"}`),
  "one name again and again": body(`{${'"__proto__":{},'.repeat(49_000)}"a":1}`),
  "numbers that are almost zero": body(`{"a":[${"1e-9999999999,".repeat(99_000)}0]}`),
};

/** XML that is hostile in its markup. */
export const HOSTILE_MARKUP: Readonly<Record<string, string>> = {
  "attributes of many names": `<a ${Array.from({ length: 9_900 }, (_, at) => `n${at}="v"`).join(" ")}/>`,
  references: `<a>${"&#x1F600;".repeat(49_000)}</a>`,
  comments: `<a>${"<!---->".repeat(49_000)}</a>`,
  "a name of a megabyte": `<${"n".repeat(0.9 * MIB)}></${"n".repeat(0.9 * MIB)}>`,
  "blanks in a tag": `<a${" ".repeat(1.9 * MIB)}/>`,
  "pieces of text": `<a>${"x<b/>".repeat(49_000)}</a>`,
  "CDATA that looks unclosed": `<a>${"<![CDATA[]]".repeat(40_000)}]]></a>`,
};

const GET = "GET /status HTTP/1.1\r\nHost: x\r\n\r\n";
const POST = "POST /data HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";

/** What one client without a token sends on one connection. */
export const HOSTILE_CLIENTS: Readonly<Record<string, string>> = {
  "requests sent ahead": GET.repeat(20_000),
  "the shortest requests": "GET / HTTP/1.1\r\nHost:\r\n\r\n".repeat(20_000),
  "requests that are none": "GET /\r\n\r\n".repeat(20_000),
  "a body in chunks of one byte": `${POST}Transfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(200_000)}`,
  "chunks with long extensions": `${POST}Transfer-Encoding: chunked\r\n\r\n${`1;${"x".repeat(8_000)}\r\nx\r\n`.repeat(200)}`,
  "a head of tiny fields": `GET /status HTTP/1.1\r\nHost: x\r\n${"a:\r\n".repeat(3_900)}\r\n`,
  "a token of blanks": `${POST}Authorization: Bearer ${" ".repeat(15_000)}x\r\n\r\n`,
  "a path of escapes": `GET /${"%2e%2e/".repeat(2_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  "a body of one number": withBody(`{"a":${"7".repeat(MIB - 100)}}`),
  "a body of open lists": withBody("[".repeat(MIB - 100)),
  "a body of open texts": withBody(`{"a":${'"\\"'.repeat(300_000)}`),
  "a body of exponents": withBody(`{"a":[${"1e-99999999,".repeat(80_000)}0]}`),
};

function withBody(text: string): string {
  return `${POST}Content-Length: ${text.length}\r\n\r\n${text}`;
}

/** Sends it, reads what comes for a moment, and resets the connection. */
export function sendAndReset(url: string, text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => {}).on("close", () => resolve());
    socket.on("data", () => {});
    setTimeout(() => socket.resetAndDestroy(), 700);
    socket.write(text);
  });
}
