import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { until } from "../../test/rig/until.ts";
import { type Behaviour, head, hang, raw } from "../../test/vendor/behaviours.ts";
import { startVendor } from "../../test/vendor/scripted-vendor.ts";
import { chargesOf } from "../terms/money/charge.ts";
import { ByteBudget } from "../terms/concurrency/byte-budget.ts";
import { codeOf, faultOf, openTestClient } from "./http-client.kit.ts";

const MIB = 1024 * 1024;
const CHUNKED = head(200, { "transfer-encoding": "chunked" });

/** Writes a piece again and again, as fast as the socket is read. */
function flood(first: string, piece: string, times = Number.POSITIVE_INFINITY, last = ""): Behaviour {
  return (socket) => {
    let left = times;
    const more = (): void => {
      while (!socket.destroyed && left > 0) {
        left -= 1;
        if (!socket.write(piece)) return;
      }
      if (last !== "") socket.write(last);
    };
    socket.on("drain", more);
    socket.write(first);
    more();
  };
}

const FLOODS: Readonly<Record<string, Behaviour>> = {
  "chunks of one byte": flood(CHUNKED, "1\r\n \r\n".repeat(10_000)),
  "chunks of one byte with long extensions": flood(CHUNKED, `1;${"x".repeat(65_000)}\r\n \r\n`),
  "one chunk with an extension that never ends": flood(`${CHUNKED}1;`, "x".repeat(65_536)),
  "a reason phrase that never ends": flood("HTTP/1.1 200 ", "x".repeat(65_536)),
  "header fields without end": flood("HTTP/1.1 200 OK\r\n", "a: b\r\n".repeat(5_000)),
  "one header field without end": flood("HTTP/1.1 200 OK\r\na: ", "x".repeat(65_536)),
  "trailers without end": flood(`${CHUNKED}1\r\n \r\n0\r\n`, "a: b\r\n".repeat(5_000)),
  "interim answers without end": flood("", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(2_000)),
  "empty lines before the status line without end": flood("", "\r\n".repeat(32_768)),
  "blanks after the size of a chunk without end": flood(`${CHUNKED}1`, " ".repeat(65_536)),
  "zeros before the size of a chunk without end": flood(CHUNKED, "0".repeat(65_536)),
};

for (const [what, behaviour] of Object.entries(FLOODS)) {
  for (const lenient of [false, true])
    test(`${what}${lenient ? ", read leniently" : ""}: the call fails long before its deadline, and nothing stays held`, async (t) => {
      let written = 0;
      const vendor = await startVendor(t, {
        paths: {
          "/": (socket, request) => {
            socket.on("close", () => (written = socket.bytesWritten));
            behaviour(socket, request);
          },
        },
      });
      const budget = new ByteBudget(64 * MIB);
      const { call, http } = openTestClient(t).call(vendor.origin, {
        timeoutMs: 60_000,
        memory: budget.open("org_1"),
        reply: { lenient },
      });

      const fault = await faultOf(http.get(vendor.origin));

      assert.equal(fault.code, "source.contract");
      assert.equal(budget.reservedBytes, 0);
      assert.equal(call.reservedBytes, 0);
      await new Promise((resolve) => setImmediate(resolve));
      // The buffers of the sockets come in addition.
      assert.ok(written < 20 * MIB, `${written} bytes`);
    });
}

test("a million chunks of one byte are refused after a small part of them", async (t) => {
  const vendor = await startVendor(t, {
    paths: { "/": flood(CHUNKED, "1\r\n \r\n".repeat(10_000), 100, "0\r\n\r\n") },
  });
  let pieces = 0;
  const held = new ByteBudget(64 * MIB).open("org_1");
  const hold = held.reserve.bind(held);
  held.reserve = (bytes) => {
    pieces += 1;
    return hold(bytes);
  };
  const { http } = openTestClient(t).call(vendor.origin, { memory: held });

  assert.equal(await codeOf(http.get(vendor.origin)), "source.contract");
  assert.ok(pieces < 25_000, `${pieces} pieces`);
});

test("a failed answer that nobody reads is not read to its end either", async (t) => {
  const vendor = await startVendor(t, {
    paths: {
      "/pieces": flood(head(503, { "transfer-encoding": "chunked" }), "1\r\n \r\n".repeat(10_000)),
      "/extension": flood(`${head(503, { "transfer-encoding": "chunked" })}1;`, "x".repeat(65_536)),
    },
  });
  const door = openTestClient(t);
  for (const path of ["/pieces", "/extension"]) {
    assert.equal(await codeOf(door.call(vendor.origin).http.get(vendor.origin + path)), "source.vendor_5xx");
  }
  await until(() => door.client.stats().origins[0]!.inFlight === 0);

  assert.deepEqual(door.client.stats().origins, [{ origin: vendor.origin, inFlight: 0, waiting: 0 }]);
});

test("a reply of the full size arrives, in chunks as large vendors cut them", async (t) => {
  const vendor = await startVendor(t);
  const text = "x".repeat(2 * MIB);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += 64) pieces.push("40\r\n", text.slice(at, at + 64), "\r\n");
  vendor.on("/", raw(`${CHUNKED}${pieces.join("")}0\r\n\r\n`));
  const { call, http } = openTestClient(t).call(vendor.origin, { memory: new ByteBudget(64 * MIB).open("org_1") });

  const reply = await http.get(vendor.origin);

  assert.equal(call.reservedBytes, 2 * MIB);
  assert.equal(reply.bytes().length, 2 * MIB);
});

test("however a reply is cut, encoded and marked, it is delivered byte for byte", async (t) => {
  const vendor = await startVendor(t);
  const door = openTestClient(t);
  const cases = fc.record({
    bytes: fc.uint8Array({ minLength: 1, maxLength: 3_000 }),
    gzip: fc.boolean(),
    chunks: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 }),
    packets: fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 10 }),
    extension: fc.constantFrom("", ";a=b", ";x"),
    trailer: fc.constantFrom("", "x-sum: 1\r\n"),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ bytes, gzip, chunks, packets, extension, trailer }) => {
      const sent = gzip ? gzipSync(bytes) : Buffer.from(bytes);
      const wire: Buffer[] = [
        Buffer.from(head(200, { "transfer-encoding": "chunked", ...(gzip ? { "content-encoding": "gzip" } : {}) })),
      ];
      for (let at = 0, turn = 0; at < sent.length; turn += 1) {
        const piece = sent.subarray(at, at + chunks[turn % chunks.length]!);
        wire.push(Buffer.from(`${piece.length.toString(16)}${extension}\r\n`), piece, Buffer.from("\r\n"));
        at += piece.length;
      }
      wire.push(Buffer.from(`0\r\n${trailer}\r\n`));
      const whole = Buffer.concat(wire);
      vendor.on("/cut", (socket) => {
        socket.setNoDelay(true);
        for (let at = 0, turn = 0; at < whole.length; turn += 1) {
          const end = at + packets[turn % packets.length]!;
          socket.write(whole.subarray(at, end));
          at = end;
        }
      });
      const { call, http } = door.call(vendor.origin, { memory: new ByteBudget(MIB).open("org_1") });

      const reply = await http.get(`${vendor.origin}/cut`);

      assert.equal(call.reservedBytes, bytes.length);
      assert.equal(call.run.memory.bytes, bytes.length);
      assert.ok(reply.bytes().equals(Buffer.from(bytes)));
    }),
    { numRuns: 60 },
  );
});

// ---- memory --------------------------------------------------------------------------------------------------------

const LARGE = Buffer.alloc(600_000, 0x20);

function answering(status: number, content: Buffer, gzip: boolean): Behaviour {
  const bytes = gzip ? gzipSync(content) : content;
  const encoding: Record<string, string> = gzip ? { "content-encoding": "gzip" } : {};
  return raw(
    Buffer.concat([Buffer.from(head(status, { "content-length": String(bytes.length), ...encoding })), bytes]),
  );
}

for (const gzip of [false, true]) {
  test(`a reply that does not fit into memory fails as sent, ${gzip ? "after" : "without"} decoding, and is given back`, async (t) => {
    const vendor = await startVendor(t, {
      paths: { "/found": answering(200, LARGE, gzip) },
    });
    const budget = new ByteBudget(500_000);
    const { call, http } = openTestClient(t).call(vendor.origin, { memory: budget.open("org_1") });

    const fault = await faultOf(http.get(`${vendor.origin}/found`));

    assert.equal(fault.code, "source.no_room_for_answer");
    assert.deepEqual(chargesOf(call.attempts, "per_call", fault), ["yes"]);
    assert.equal(budget.reservedBytes, 0);
  });

  test(`an error reply that does not fit into memory keeps its status, ${gzip ? "after" : "without"} decoding`, async (t) => {
    const vendor = await startVendor(t, {
      paths: { "/none": answering(404, LARGE, gzip) },
    });
    const budget = new ByteBudget(500_000);
    const { http } = openTestClient(t).call(vendor.origin, { memory: budget.open("org_1") });

    const reply = await http.get(`${vendor.origin}/none`, { answers: [404] });

    assert.deepEqual([reply.status, reply.bytes().length, budget.reservedBytes], [404, 0, 0]);
  });
}

test("a compressed bomb is counted as it is decoded, so decoding stops at the limit", async (t) => {
  const vendor = await startVendor(t);
  const budget = new ByteBudget(2 * MIB);
  const { http } = openTestClient(t).call(vendor.origin, { memory: budget.open("org_1") });

  assert.equal(await codeOf(http.get(`${vendor.origin}/gzip-bomb/8`)), "source.no_room_for_answer");
  assert.equal(budget.reservedBytes, 0);
});

test("nothing is sent when hardly any memory is left, and replies to sent requests still fit", async (t) => {
  const vendor = await startVendor(t, { paths: { "/": answering(200, Buffer.from("{}"), false) } });
  const budget = new ByteBudget(1_000);
  const door = openTestClient(t);
  const others = ["org_2", "org_3", "org_4"].map((owner) => budget.open(owner));
  for (const other of others) while (other.reserve(20));
  const { call, http } = door.call(vendor.origin, { memory: budget.open("org_1") });

  const fault = await faultOf(http.get(vendor.origin));

  assert.equal(fault.code, "source.no_room");
  assert.equal(call.attempts.length, 0);
  assert.equal(vendor.count(), 0);
});

test("replies that do not fit into memory fail one by one, and all memory is released", async (t) => {
  const vendor = await startVendor(t, { paths: { "/": answering(200, LARGE, false) } });
  const budget = new ByteBudget(16 * LARGE.length);
  const door = openTestClient(t);
  const ask = () => {
    const { call, http } = door.call(vendor.origin, { memory: budget.open("org_1") });
    return {
      call,
      asked: http.get(vendor.origin).then(
        () => "kept",
        ({ code }: { code: string }) => code,
      ),
    };
  };
  const calls = Array.from({ length: 30 }, ask);
  const ends = await Promise.all(calls.map(({ asked }) => asked));

  const kept = ends.filter((end) => end === "kept").length;
  assert.ok(kept >= 4, `${kept} were kept`);
  assert.equal(ends.filter((end) => end.startsWith("source.no_room")).length, 30 - kept);
  for (const { call } of calls) call.run.memory.release();
  assert.equal(budget.reservedBytes, 0);
});

test("a call that waits for a connection is not sent if memory has become scarce meanwhile", async (t) => {
  const vendor = await startVendor(t);
  const budget = new ByteBudget(1_000);
  const door = openTestClient(t, { limits: { connectionsMax: 1 } });
  const held = budget.open("org_1");
  const first = door.call(vendor.origin).http.get(`${vendor.origin}/delay/20`);
  const waiting = faultOf(door.call(vendor.origin, { memory: held }).http.get(vendor.origin));
  while (held.reserve(20));

  await first;

  assert.equal((await waiting).code, "source.no_room");
});

test("what a call that has ended still receives is not held", async (t) => {
  const vendor = await startVendor(t);
  const budget = new ByteBudget(10_000);
  const { call, http } = openTestClient(t).call(vendor.origin, { memory: budget.open("org_1") });
  const late = http.get(`${vendor.origin}/delay/10`);
  await vendor.received(1);
  call.end();
  call.shrinkTo(0);

  await late;

  assert.equal(budget.reservedBytes, 0);
  assert.equal(call.reservedBytes, 0);
});

test("a deadline gives back what had come by then", async (t) => {
  const vendor = await startVendor(t, {
    paths: { "/": (socket, request) => (socket.write(`${CHUNKED}5\r\nhello\r\n`), hang(socket, request)) },
  });
  const budget = new ByteBudget(10_000);
  const { http } = openTestClient(t).call(vendor.origin, { timeoutMs: 80, memory: budget.open("org_1") });

  assert.equal(await codeOf(http.get(vendor.origin)), "source.timeout");
  assert.equal(budget.reservedBytes, 0);
});
