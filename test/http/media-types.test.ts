import assert from "node:assert/strict";
import { after, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { startService } from "../rig/service.ts";
import { answers } from "../rig/sources.ts";

const service = await startService({ after }, { sources: [answers("acme__people", { name: "Ada" })] });
const RUN = JSON.stringify({ config: { sources: { acme__people: true } } });
const WRONG = JSON.stringify({ config: { sources: { acme__people: 1 } } });
const PATHS = ["/data", "/func"] as const;

test("a JSON body without a Content-Type is accepted, and its schema applied all the same", async () => {
  for (const path of PATHS) {
    for (const type of [undefined, ""]) {
      const headers = { "Content-Type": type };
      assert.equal((await service.post(path, RUN, { headers })).statusCode, 200);
      assert.equal((await service.post(path, WRONG, { headers })).statusCode, 422);
    }
  }
});

test("application/json is accepted in any case and with any parameters, and its schema applied", async () => {
  const types = [
    "application/json",
    "Application/JSON ; charset=UTF-8",
    "application/json;charset=utf-8",
    "APPLICATION/JSON",
    'application/json; x="y"',
    "application/json;",
    " application/json ",
  ];
  for (const path of PATHS) {
    for (const type of types) {
      const headers = { "Content-Type": type };
      assert.equal((await service.post(path, RUN, { headers })).statusCode, 200, type);
      assert.equal((await service.post(path, WRONG, { headers })).statusCode, 422, type);
    }
  }
});

test("any other media type is 422, JSON or not", async () => {
  const types = [
    "text/plain",
    "text/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/json garbage",
    "application/json\ta",
    "application/json, text/plain",
    "application/ld+json",
    "*/*",
    "json",
    "application/",
    "/json",
    "application/json/x",
    "xapplication/json",
    "application /json",
    "null",
    "application/json\u00a0",
  ];
  for (const path of PATHS) {
    for (const type of types) {
      const reply = await service.post(path, RUN, { headers: { "Content-Type": type } });
      assert.equal(reply.statusCode, 422, type);
      assert.equal(reply.json().error.details[0].message, "must be sent as application/json");
    }
  }
});

test("a body with a content encoding is 422 and never decoded", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
  const encoded: readonly (readonly [string, Buffer])[] = [
    ["gzip", gzipSync(RUN)],
    ["GZIP", gzipSync(RUN)],
    ["x-gzip", gzipSync(RUN)],
    ["br", brotliCompressSync(RUN)],
    ["deflate", deflateSync(RUN)],
    ["zstd", Buffer.from(RUN)],
    ["gzip, gzip", gzipSync(gzipSync(RUN))],
    ["identity, gzip", gzipSync(RUN)],
    ["gzip", bomb],
    ["unheard-of", Buffer.from(RUN)],
  ];
  for (const path of PATHS) {
    for (const [encoding, body] of encoded) {
      const reply = await service.post(path, body, { headers: { "Content-Encoding": encoding } });
      assert.equal(reply.statusCode, 422, encoding);
    }
    assert.equal((await service.post(path, RUN, { headers: { "Content-Encoding": "identity" } })).statusCode, 200);
  }
});

test("what a client accepts changes nothing: the answer is JSON, and plain", async () => {
  for (const accept of ["text/html", "application/xml;q=1, */*;q=0", "nothing"]) {
    const reply = await service.post("/data", RUN, { headers: { Accept: accept, "Accept-Encoding": "gzip, br" } });
    assert.equal(reply.statusCode, 200);
    assert.equal(reply.headers["content-encoding"], undefined);
  }
});

test("a byte order mark before the JSON is dropped", async () => {
  assert.equal((await service.post("/data", `\ufeff${RUN}`)).statusCode, 200);
});
