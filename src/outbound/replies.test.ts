import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { body, json } from "../../test/vendor/behaviours.ts";
import { startVendor } from "../../test/vendor/scripted-vendor.ts";
import { type RawReply, rawJsonObject, type Reply } from "../sdk/http.ts";
import { codeOf, openTestClient } from "./http-client.kit.ts";

function spliced(reply: Reply): string {
  return (reply as Reply & RawReply)[rawJsonObject]().toString("utf8");
}

test("a vendor's bytes go on unchanged: large numbers, repeated keys and spaces included", async (t) => {
  const text = '{ "n": 12345678901234567890, "n": 1.10, "t": "\\u00e9é" }\n';
  const vendor = await startVendor(t, { paths: { "/people": body(text) } });
  const { http } = openTestClient(t).call(vendor.origin);

  const reply = await http.get(`${vendor.origin}/people`);

  assert.equal(spliced(reply), text);
  assert.equal(reply.json(), reply.json());
  assert.equal(reply.text(), text);
});

test("a reply that nobody maps is never parsed, and one that is parsed is parsed once", async (t) => {
  const vendor = await startVendor(t, { paths: { "/people": json({ name: "Ada" }) } });
  const { http } = openTestClient(t).call(vendor.origin);
  const [untouched, read] = [await http.get(`${vendor.origin}/people`), await http.get(`${vendor.origin}/people`)];
  const parse = t.mock.method(JSON, "parse");

  assert.equal(spliced(untouched), '{"name":"Ada"}');
  assert.equal(parse.mock.callCount(), 0);

  read.json();
  assert.equal(spliced(read), '{"name":"Ada"}');
  assert.equal(parse.mock.callCount(), 1);
});

test("a byte order mark is dropped", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  const reply = await http.get(`${vendor.origin}/byte-order-mark`);

  assert.match(spliced(reply), /^\{/);
});

test("a body in another charset is read as JSON, as text, and as a whole record, by what it declares", async (t) => {
  const latin = Buffer.from('{"name":"O\x92Brien"}', "latin1");
  const utf16 = Buffer.from('\ufeff{"name":"O’Brien"}', "utf16le");
  const vendor = await startVendor(t, {
    paths: {
      "/latin": body(latin, { headers: { "content-type": "application/json; charset=ISO-8859-1" } }),
      "/utf16": body(utf16),
    },
  });
  const { http } = openTestClient(t).call(vendor.origin);

  for (const path of ["/latin", "/utf16"]) {
    const reply = await http.get(vendor.origin + path);
    assert.equal(spliced(reply), '{"name":"O’Brien"}');
    assert.deepEqual(reply.json(), { name: "O’Brien" });
    assert.equal(reply.text(), '{"name":"O’Brien"}');
  }
  assert.deepEqual((await http.get(`${vendor.origin}/latin`)).bytes(), latin);
});

test("a body in another charset counts for its call like any other, and one that cannot be decoded is off contract", async (t) => {
  const latin = Buffer.from(`{"name":"${"é".repeat(1_000)}"}`, "latin1");
  const type = { headers: { "content-type": "application/json; charset=latin1" } };
  const vendor = await startVendor(t, {
    paths: {
      "/latin": body(latin, type),
      "/none": body(Buffer.from([0x7b, 0xe9]), { headers: { "content-type": "application/json; charset=none" } }),
    },
  });
  const { call, http } = openTestClient(t).call(vendor.origin);

  const reply = await http.get(`${vendor.origin}/latin`);
  const before = call.reservedBytes;
  reply.json();
  assert.ok(call.reservedBytes - before >= 2 * 2_000, "the copy in UTF-8 and the value");
  const unknown = await http.get(`${vendor.origin}/none`);
  assert.throws(() => unknown.json(), {
    code: "source.contract",
    detail: { problem: "it has an encoding that is not supported" },
  });
});

test("a body can be read as XML, with the lists that the source names, and counts for its call", async (t) => {
  const text = '<?xml version="1.0" encoding="ISO-8859-1"?><a.b><c n="1">\xe9</c></a.b>';
  const vendor = await startVendor(t, { paths: { "/xml": body(Buffer.from(text, "latin1")), "/no": body("{}") } });
  const { call, http } = openTestClient(t).call(vendor.origin);

  const reply = await http.get(`${vendor.origin}/xml`);
  const before = call.reservedBytes;
  assert.deepEqual(reply.xml(), { "a.b": { c: { "#text": "é", "@n": "1" } } });
  assert.ok(call.reservedBytes > before);
  assert.deepEqual(reply.xml({ lists: [["a.b", "c"]] }), { "a.b": { c: [{ "#text": "é", "@n": "1" }] } });
  const other = await http.get(`${vendor.origin}/no`);
  assert.throws(() => other.xml(), { code: "source.contract", detail: { problem: "it is not XML" } });
});

test("only an object can be in the answer as it is", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  const reply = await http.get(`${vendor.origin}/list`);

  assert.deepEqual(reply.json(), [1, 2]);
  assert.throws(() => spliced(reply), { code: "source.contract" });
});

test("keys named __proto__ are plain names and pollute nothing", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  const reply = await http.get(`${vendor.origin}/proto`);

  assert.ok(Object.hasOwn(reply.json(), "__proto__"));
  assert.equal((Object.prototype as { polluted?: boolean }).polluted, undefined);
});

test("header fields have no prototype, and repeated ones are joined", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/", (socket) =>
    socket.write("HTTP/1.1 200 OK\r\nX-Page: 1\r\nx-page: 2\r\n__proto__: x\r\nContent-Length: 2\r\n\r\n{}"),
  );
  const { http } = openTestClient(t).call(vendor.origin);

  const { headers } = await http.get(vendor.origin);

  assert.equal(Object.getPrototypeOf(headers), null);
  assert.equal(headers["x-page"], "1, 2");
  assert.equal(headers["__proto__"], "x");
  assert.equal(headers["constructor"], undefined);
});

test("one layer of gzip is undone, small or large", async (t) => {
  const small = { name: "Ada" };
  const large = { list: Array.from({ length: 50_000 }, (_, at) => `entry ${at}`) };
  const encoded = (value: unknown) =>
    body(gzipSync(JSON.stringify(value)), { headers: { "content-encoding": "GZIP" } });
  const vendor = await startVendor(t, { paths: { "/small": encoded(small), "/large": encoded(large) } });
  const { http } = openTestClient(t).call(vendor.origin);

  assert.deepEqual((await http.get(`${vendor.origin}/small`)).json(), small);
  assert.deepEqual((await http.get(`${vendor.origin}/large`)).json(), large);
});

test("the caps hold to the byte, and a source may lower them", async (t) => {
  const exact = `{"a":"${"x".repeat(992)}"}`;
  const vendor = await startVendor(t, {
    paths: {
      "/exact": body(exact),
      "/more": body(`${exact} `),
      "/zipped-more": body(gzipSync(`${exact} `), { headers: { "content-encoding": "gzip" } }),
    },
  });
  const { http } = openTestClient(t).call(vendor.origin, { limits: { max_bytes: 1_000 } });

  assert.equal((await http.get(`${vendor.origin}/exact`)).bytes().length, 1_000);
  assert.equal(await codeOf(http.get(`${vendor.origin}/more`)), "source.contract");
  assert.equal(await codeOf(http.get(`${vendor.origin}/zipped-more`)), "source.contract");
});

for (const path of ["/gzip-bomb/200", "/endless"]) {
  test(`${path} costs no more memory than the caps`, async (t) => {
    const vendor = await startVendor(t);
    const { http } = openTestClient(t).call(vendor.origin);
    await http.get(`${vendor.origin}/json`);
    const before = process.memoryUsage().arrayBuffers;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers);
    }, 1);

    const code = await codeOf(http.get(vendor.origin + path));
    clearInterval(watch);

    assert.equal(code, "source.contract");
    // Creating the bomb takes 8 MiB itself; the limits are 5 and 10.
    assert.ok(peak - before < 50 * 1024 * 1024, `${peak - before} bytes more`);
  });
}

test("a body in many pieces keeps its bytes while the next reply arrives", async (t) => {
  const pieces = Array.from({ length: 20 }, (_, at) => JSON.stringify({ at }).padEnd(10_000));
  const vendor = await startVendor(t, {
    paths: Object.fromEntries(pieces.map((text, at) => [`/${at}`, body(text)])),
  });
  const { http } = openTestClient(t).call(vendor.origin);

  const replies = await Promise.all(pieces.map((_, at) => http.get(`${vendor.origin}/${at}`)));
  await Promise.all(pieces.map((_, at) => http.get(`${vendor.origin}/${at}`)));

  assert.deepEqual(
    replies.map((reply) => reply.text()),
    pieces,
  );
});

test("a status the source reads itself is a reply", async (t) => {
  const vendor = await startVendor(t, { paths: { "/none": json({ none: true }, { status: 404 }) } });
  const { http } = openTestClient(t).call(vendor.origin);

  const reply = await http.get(`${vendor.origin}/none`, { answers: [404] });

  assert.equal(reply.status, 404);
  assert.deepEqual(reply.json(), { none: true });
});

test("a reply without a body and an answer to HEAD are whole", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/head", (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2000000000\r\n\r\n"));
  const { http } = openTestClient(t).call(vendor.origin);

  assert.equal((await http.get(`${vendor.origin}/no-content`)).bytes().length, 0);
  assert.equal((await http.request("HEAD", `${vendor.origin}/head`)).bytes().length, 0);
  assert.equal((await http.get(`${vendor.origin}/early-hints`)).status, 200);
});
