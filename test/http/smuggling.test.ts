import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";

let ran = 0;
const service = await startService({ after }, { sources: [source("acme__counter", () => ({ ran: ++ran }))] });
const RUN = JSON.stringify({ config: { sources: { acme__counter: true } } });
/** What an attacker hides behind a request that somebody in front of the service reads differently. */
const HIDDEN = `${service.rawHead("/data")}Content-Length: ${RUN.length}\r\n\r\n${RUN}`;
const CHUNK = `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`;

/** Heads whose length two readers may understand differently, each with what follows. */
const AMBIGUOUS: Readonly<Record<string, readonly [string, string]>> = {
  "both lengths, chunks first": ["Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${HIDDEN}`],
  "both lengths, length first": ["Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${HIDDEN}`],
  "two lengths": [`Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n`, HIDDEN],
  "two lengths the same": ["Content-Length: 2\r\nContent-Length: 2\r\n", `{}${HIDDEN}`],
  "a list of lengths": ["Content-Length: 2, 2\r\n", `{}${HIDDEN}`],
  "a signed length": ["Content-Length: +2\r\n", `{}${HIDDEN}`],
  "a negative length": ["Content-Length: -1\r\n", HIDDEN],
  "a hexadecimal length": ["Content-Length: 0x2\r\n", `{}${HIDDEN}`],
  "a length with a fraction": ["Content-Length: 2.0\r\n", `{}${HIDDEN}`],
  "a length with a space in it": ["Content-Length: 2 0\r\n", `{}${HIDDEN}`],
  "a length beyond 64 bits": ["Content-Length: 18446744073709551618\r\n", `{}${HIDDEN}`],
  "a length that is a word": ["Content-Length: two\r\n", `{}${HIDDEN}`],
  "a length with a space before its colon": [`Content-Length : ${HIDDEN.length}\r\n`, HIDDEN],
  "an encoding with a space before its colon": ["Transfer-Encoding : chunked\r\n", CHUNK],
  "an encoding with a tab before its colon": ["Transfer-Encoding\t: chunked\r\n", CHUNK],
  "an encoding on a folded line": ["Transfer-Encoding:\r\n chunked\r\n", CHUNK],
  "a folded field before the encoding": ["X: y\r\n Transfer-Encoding: chunked\r\n", CHUNK],
  "an unknown encoding": ["Transfer-Encoding: xchunked\r\n", CHUNK],
  "an encoding in quotes": ['Transfer-Encoding: "chunked"\r\n', CHUNK],
  "chunked before another": ["Transfer-Encoding: chunked, identity\r\n", CHUNK],
  "chunked twice": ["Transfer-Encoding: chunked, chunked\r\n", CHUNK],
  "chunked on two lines": ["Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", CHUNK],
  "identity with a length": [`Transfer-Encoding: identity\r\nContent-Length: ${HIDDEN.length}\r\n`, HIDDEN],
  "an encoding after a vertical tab": ["Transfer-Encoding:\vchunked\r\n", CHUNK],
  "an encoding after a NUL": ["Transfer-Encoding: \0chunked\r\n", CHUNK],
  "an encoding with a semicolon": ["Transfer-Encoding: chunked;a=b\r\n", CHUNK],
  "a line ended by LF alone": ["X: y\nTransfer-Encoding: chunked\r\n", CHUNK],
  "a line ended by CR alone": ["X: y\rTransfer-Encoding: chunked\r\n", CHUNK],
  "a chunk size with a sign": ["Transfer-Encoding: chunked\r\n", `+0\r\n\r\n${HIDDEN}`],
  "a chunk size in 0x form": ["Transfer-Encoding: chunked\r\n", `0x0\r\n\r\n${HIDDEN}`],
  "a chunk size beyond 64 bits": ["Transfer-Encoding: chunked\r\n", `10000000000000000\r\n${HIDDEN}`],
  "a chunk size that is empty": ["Transfer-Encoding: chunked\r\n", `\r\n${HIDDEN}`],
  "a chunk longer than its size": ["Transfer-Encoding: chunked\r\n", `2\r\n{}${HIDDEN}`],
  "a chunk extension with a line feed": ["Transfer-Encoding: chunked\r\n", `0;a\nb\r\n\r\n${HIDDEN}`],
  "a chunk ended by LF alone": ["Transfer-Encoding: chunked\r\n", `2\n{}\n0\n\n${HIDDEN}`],
};

test("a request whose length can be read in two ways is refused, and what hides behind it is not run", async () => {
  for (const [name, [fields, body]] of Object.entries(AMBIGUOUS)) {
    for (const head of [service.rawHead("/data"), service.rawHead("/status", "GET"), service.rawHead("/none")]) {
      const { replies, closed } = await service.raw([Buffer.from(`${head}${fields}\r\n${body}`, "latin1")]);
      assert.equal(ran, 0, `${name}: the hidden request was run`);
      assert.ok(closed, name);
      assert.ok(replies.length <= 1, `${name} was answered ${replies.length} times`);
    }
  }
});

test("HTTP/1.0 has no chunks: a request with them is refused, and its connection closed", async () => {
  const before = service.ledgerRows().length;
  const fields = "Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n";
  const head = service.rawHead("/data").replace("HTTP/1.1", "HTTP/1.0");
  const chunks = `${RUN.length.toString(16)}\r\n${RUN}\r\n0\r\n\r\n`;
  const { replies, closed } = await service.raw([`${head}${fields}\r\n${chunks}${HIDDEN}`]);
  assert.deepEqual(
    replies.map(({ statusCode, headers }) => [statusCode, headers.connection]),
    [[400, "close"]],
  );
  assert.ok(closed);
  assert.equal(service.ledgerRows().length, before);
});

test("a body that looks like a request is a body", async () => {
  const before = service.ledgerRows().length;
  const head = `${service.rawHead("/data")}Connection: close\r\n`;
  const sized = await service.raw([`${head}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`]);
  const chunked = await service.raw([`${head}Transfer-Encoding: chunked\r\n\r\n${CHUNK}`]);
  for (const { replies } of [sized, chunked])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [422],
    );
  assert.equal(ran, 0);
  assert.equal(service.ledgerRows().length, before);
});

test("fields that a proxy in front may interpret change nothing", async () => {
  const headers = {
    "X-Original-URL": "/func",
    "X-HTTP-Method-Override": "GET",
    "X-Forwarded-For": "127.0.0.1",
    "X-Rewrite-URL": "/status",
  };
  const reply = await service.post("/data", RUN, { headers });
  assert.deepEqual(reply.json().outputs, { acme__counter: { ran: 1 } });
});
