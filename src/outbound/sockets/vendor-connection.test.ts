import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import * as fc from "fast-check";
import { until } from "../../../test/rig/until.ts";
import { issueCertificate, makeAuthority } from "../../../test/vendor/certificate.ts";
import { type Behaviour, body, head, json, raw } from "../../../test/vendor/behaviours.ts";
import { startVendor } from "../../../test/vendor/scripted-vendor.ts";
import { ByteBudget } from "../../terms/concurrency/byte-budget.ts";
import { faultOf, openTestClient } from "../http-client.kit.ts";

const CHUNKED = head(200, { "transfer-encoding": "chunked" });
const authority = makeAuthority();
const identity = issueCertificate({ names: ["127.0.0.1"], authority });

for (const secure of [false, true]) {
  test(`replies that arrive on several connections alternately, piece by piece, are never mixed, ${secure ? "by TLS" : "in plain"}`, async (t) => {
    const vendor = await startVendor(t, secure ? { tls: identity } : {});
    const door = openTestClient(t, { extraAuthorities: authority.cert });
    const asked = fc.array(
      fc.record({
        size: fc.integer({ min: 1, max: 20_000 }),
        chunked: fc.boolean(),
        pieces: fc.integer({ min: 1, max: 12 }),
      }),
      { minLength: 2, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(asked, async (replies) => {
        const sockets: Socket[] = [];
        const hold: Behaviour = (socket, { path }) => void (sockets[Number(path.slice(1))] = socket.setNoDelay(true));
        replies.forEach((_, at) => vendor.on(`/${at}`, hold));
        const before = vendor.count();
        const sent = replies.map((_, at) =>
          door.call(vendor.origin, { organizationId: `org_${at}` }).http.get(`${vendor.origin}/${at}`),
        );
        await vendor.received(before + replies.length);

        const wires = replies.map(({ size, chunked, pieces }, at) => {
          const body = String.fromCharCode(97 + at).repeat(size);
          const whole = chunked
            ? `${head(200, { "transfer-encoding": "chunked" })}${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`
            : head(200, { "content-length": String(size) }) + body;
          const step = Math.ceil(whole.length / pieces);
          return Array.from({ length: pieces }, (_, piece) => whole.slice(piece * step, (piece + 1) * step));
        });
        for (let piece = 0; piece < 12; piece += 1) {
          for (const [at, wire] of wires.entries()) sockets[at]!.write(wire[piece] ?? "");
          await nextTurn();
        }

        const bodies = (await Promise.all(sent)).map((reply) => reply.text());
        assert.deepEqual(
          bodies,
          replies.map(({ size }, at) => String.fromCharCode(97 + at).repeat(size)),
        );
      }),
      { numRuns: 40 },
    );
  });
}

test("the bytes that an author is given share no memory with other replies", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  const reply = await http.get(`${vendor.origin}/json`);

  assert.equal(reply.bytes().buffer.byteLength, reply.bytes().length);
  assert.equal(reply.bytes(), reply.bytes());
});

test("how long a vendor keeps an idle connection is believed, less what a request takes to get there", async (t) => {
  const answer = (timeout: string): Behaviour =>
    raw(head(200, { "content-length": "2", "keep-alive": timeout }) + "{}");
  const vendor = await startVendor(t, {
    paths: { "/2": answer("timeout=2, max=100"), "/3": answer("timeout=3"), "/60": answer("timeout=60") },
  });
  const { http } = openTestClient(t).call(vendor.origin);

  for (const path of ["/60", "/60", "/2", "/2", "/3", "/60"]) await http.get(vendor.origin + path);

  assert.deepEqual(
    vendor.requests.map(({ connection }) => connection),
    [1, 1, 1, 2, 3, 3],
  );
});

for (const [what, first] of [
  ["says that it closes", raw(`${head(200, { "content-length": "2", connection: "Keep-Alive, Close" })}{}`)],
  ["is of the old version", raw("HTTP/1.0 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive\r\n\r\n{}")],
  ["is an answer to HEAD", raw(head(200, { "content-length": "2" }))],
  ["is followed by more", raw(`${head(200, { "content-length": "2" })}{}\r\n`)],
] as const) {
  test(`after a reply that ${what} its connection is not used again`, async (t) => {
    const vendor = await startVendor(t, { paths: { "/first": first } });
    const { http } = openTestClient(t).call(vendor.origin);

    await http.request(what.endsWith("HEAD") ? "HEAD" : "GET", `${vendor.origin}/first`);
    await http.get(`${vendor.origin}/json`);

    assert.deepEqual(
      vendor.requests.map(({ connection }) => connection),
      [1, 2],
    );
  });
}

for (const secure of [false, true]) {
  test(`a body in characters of several bytes arrives as it is, ${secure ? "by TLS" : "in plain"}`, async (t) => {
    const vendor = await startVendor(t, secure ? { tls: identity } : {});
    const { http } = openTestClient(t, { extraAuthorities: authority.cert }).call(vendor.origin);
    const text = "\u00e9\u{1f600}x".repeat(30_000);

    const reply = await http.post(`${vendor.origin}/echo`, { json: { text } });
    const bytes = await http.put(`${vendor.origin}/echo`, { body: Buffer.from(text) });

    assert.deepEqual(JSON.parse(reply.json().body), { text });
    assert.equal(bytes.json().body, text);
  });

  test(`what comes unasked while a connection is idle closes it at once, ${secure ? "by TLS" : "in plain"}`, async (t) => {
    let socket: Socket | undefined;
    const vendor = await startVendor(t, {
      ...(secure ? { tls: identity } : {}),
      otherwise: (opened, request) => json({})((socket = opened), request),
    });
    const door = openTestClient(t, { extraAuthorities: authority.cert });
    await door.call(vendor.origin).http.get(vendor.origin);
    socket!.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");

    await until(() => socket!.destroyed);
  });
}

test("a reply that only the end of the connection ends is whole, and one that a reset ends is not", async (t) => {
  const vendor = await startVendor(t, {
    paths: { "/end": (socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nto the end") },
  });
  const { http } = openTestClient(t).call(vendor.origin);

  assert.equal((await http.get(`${vendor.origin}/end`)).text(), "to the end");
  await assert.rejects(http.get(`${vendor.origin}/reset-without-length`), { code: "source.connection_lost" });
});

test("a reply that comes before its request is out leaves no connection for the next one", async (t) => {
  let connections = 0;
  const vendor = await startVendor(t, {
    onConnection: (socket) => {
      connections += 1;
      socket.once("data", () => {
        // The rest of the request is never read.
        socket.pause();
        socket.write(`${head(200, { "content-length": "2" })}{}`);
      });
    },
  });
  const { http } = openTestClient(t).call(vendor.origin);

  await http.post(vendor.origin, { body: Buffer.alloc(16 * 1024 * 1024) });
  await http.get(vendor.origin);

  assert.equal(connections, 2);
});

test("what goes wrong here while a reply is read costs that call alone", async (t) => {
  const vendor = await startVendor(t);
  const door = openTestClient(t);
  const held = new ByteBudget(1_000_000).open("org_1");
  const hold = held.reserve.bind(held);
  held.reserve = (bytes) => {
    // Memory is also reserved before the request is sent.
    if (vendor.count() === 1) throw new Error("broken");
    return hold(bytes);
  };
  vendor.on("/large", body("x".repeat(100_000)));

  const failed = await faultOf(door.call(vendor.origin, { memory: held }).http.get(`${vendor.origin}/large`));
  const next = await door.call(vendor.origin).http.get(vendor.origin);

  assert.equal(failed.code, "source.connection_lost");
  assert.equal((failed.cause as Error).message, "broken");
  assert.equal(next.status, 200);
});

for (const secure of [false, true]) {
  test(`whenever a call's time is up, in whatever state, its connection is closed and its place is free, ${secure ? "by TLS" : "in plain"}`, async (t) => {
    const vendor = await startVendor(t, {
      ...(secure ? { tls: identity } : {}),
      otherwise(socket) {
        // One after the other: with timers of several durations, a busy loop may run a later one first.
        const send = ([piece, ...rest]: readonly string[]): void => {
          if (piece !== undefined) setTimeout(() => (socket.write(piece), send(rest)), 3);
        };
        send([`${CHUNKED}5\r\nhe`, "llo\r\n", "0\r\n", "\r\n"]);
      },
    });
    const door = openTestClient(t, { extraAuthorities: authority.cert, limits: { connectionsMax: 8 } });

    const outcomes = await Promise.all(
      Array.from({ length: 120 }, async (_, at) => {
        await delay(at / 4);
        const { call, http } = door.call(vendor.origin, { timeoutMs: (at * 7) % 40, organizationId: `org_${at % 3}` });
        const outcome = await http.get(vendor.origin).then(
          (reply) => reply.text(),
          ({ code }: { code: string }) => code,
        );
        assert.ok(call.attempts.every(({ tookMs }) => tookMs !== null));
        return outcome;
      }),
    );

    assert.deepEqual(
      outcomes.filter((outcome) => !["hello", "source.timeout", "source.queue_full"].includes(outcome)),
      [],
    );
    assert.ok(vendor.count() <= door.attempts.length);
    await until(() => door.client.stats().origins.every(({ inFlight, waiting }) => inFlight === 0 && waiting === 0));
    assert.equal((await door.call(vendor.origin).http.get(vendor.origin)).text(), "hello");
  });
}
