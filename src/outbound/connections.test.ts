import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { after, inTurn, json, raw, rawThenEnd } from "../../test/vendor/behaviours.ts";
import { startVendor } from "../../test/vendor/scripted-vendor.ts";
import { chargesOf } from "../terms/money/charge.ts";
import { codeOf, faultOf, openTestClient } from "./http-client.kit.ts";

test("one connection serves request after request", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  for (let turn = 0; turn < 5; turn += 1) await http.get(vendor.origin);
  await Promise.allSettled(Array.from({ length: 3 }, () => http.get(`${vendor.origin}/status/404`)));
  await http.get(vendor.origin);

  assert.equal(vendor.count(), 9);
  assert.ok(vendor.connections <= 3, `${vendor.connections} connections`);
});

test("what only the lenient reading accepts needs a source that says so, and ends its connection", async (t) => {
  const lenientHead = "HTTP/1.1 200 OK\nx-note : a\n  b\ncontent-length: 2\n\n{}";
  const lenientChunks = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\ntransfer-encoding: chunked\r\n\r\n2 \r\n{}0\r\n\r\n";
  const valid = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
  const vendor = await startVendor(t, {
    paths: { "/head": raw(lenientHead), "/chunks": raw(lenientChunks), "/valid": raw(valid) },
  });
  const door = openTestClient(t);
  const strict = door.call(vendor.origin).http;
  const lenient = door.call(vendor.origin, { reply: { lenient: true } }).http;

  for (const path of ["/head", "/chunks"])
    assert.equal(await codeOf(strict.get(vendor.origin + path)), "source.contract");
  assert.equal(vendor.connections, 2);
  for (const path of ["/head", "/chunks"]) assert.equal((await lenient.get(vendor.origin + path)).text(), "{}");
  assert.equal(vendor.connections, 4);
  assert.equal((await lenient.get(`${vendor.origin}/head`)).headers["x-note"], "a  b");
  assert.equal(vendor.connections, 5);
  for (let turn = 0; turn < 3; turn += 1) await lenient.get(`${vendor.origin}/valid`);
  assert.equal(vendor.connections, 6);
});

test("a vendor that closes after every answer gets a new connection each time, also when requests wait", async (t) => {
  const vendor = await startVendor(t, {
    otherwise: rawThenEnd("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"),
  });
  const { call, http } = openTestClient(t, { limits: { connectionsMax: 2, waitMaxMs: 10_000 } }).call(vendor.origin, {
    timeoutMs: 100_000,
  });

  const replies = await Promise.all(Array.from({ length: 40 }, () => http.post(vendor.origin, { json: {} })));

  assert.ok(replies.every((reply) => reply.text() === "{}"));
  assert.equal(vendor.count(), 40);
  assert.equal(vendor.connections, 40);
  assert.equal(call.attempts.length, 40);
});

test("failures of every kind among requests that wait take nothing but their own", async (t) => {
  const vendor = await startVendor(t);
  const opened = openTestClient(t, { limits: { connectionsMax: 8, waitMaxMs: 10_000 } });
  const { client: door, call } = opened;
  const paths = [
    "/json",
    "/reset-mid-body",
    "/garbage",
    "/status/500",
    "/gzip",
    "/close-before-headers",
    "/two-lengths",
  ];

  const outcomes = await Promise.all(
    Array.from({ length: 140 }, async (_, at) => {
      const path = paths[at % paths.length]!;
      const { http } = call(vendor.origin, { timeoutMs: 100_000 });
      const succeeded = await http.get(vendor.origin + path).then(
        (reply) => reply.json().name === "Ada",
        () => false,
      );
      return succeeded === (path === "/json" || path === "/gzip");
    }),
  );

  assert.ok(outcomes.every(Boolean));
  assert.equal(opened.attempts.length, 140);
  assert.equal(vendor.count(), 140);
  assert.deepEqual(door.stats().origins, [{ origin: vendor.origin, inFlight: 0, waiting: 0 }]);
});

test("a kept connection that is reset as the next request arrives is never tried again", async (t) => {
  const vendor = await startVendor(t);
  const door = openTestClient(t);
  for (let round = 0; round < 25; round += 1) {
    for (const method of ["GET", "POST"]) {
      const path = `/${method}/${round}`;
      vendor.on(
        path,
        inTurn(json({}), (socket) => socket.resetAndDestroy(), json({ replayed: true })),
      );
      const { call, http } = door.call(vendor.origin);
      await http.request(method, vendor.origin + path);

      const fault = await faultOf(http.request(method, vendor.origin + path));

      assert.equal(fault.code, "source.connection_lost");
      assert.deepEqual(chargesOf(call.attempts, "per_call", fault), ["yes", "unknown"]);
      assert.equal(call.attempts.length, 2);
      assert.equal(vendor.count(path), 2);
    }
  }
  assert.equal(vendor.count(), door.attempts.length);
});

test("with a vendor that closes idle connections early, attempts and arrivals agree", async (t) => {
  const vendor = await startVendor(t, { idleMs: 10 });
  const door = openTestClient(t);
  let answered = 0;

  const callers = Array.from({ length: 4 }, async (_, caller) => {
    for (let turn = 0; turn < 25; turn += 1) {
      const { call, http } = door.call(vendor.origin);
      const outcome = await http.post(vendor.origin, { json: { turn } }).then(
        () => "answered",
        (fault: unknown) => (fault as { code: string }).code,
      );
      // It was written to a connection that was just closing, so it is lost and not repeated. Otherwise exactly one
      // request arrived.
      assert.ok(outcome === "answered" || outcome === "source.connection_lost", outcome);
      assert.equal(call.attempts.length, 1);
      if (outcome === "answered") answered += 1;
      await delay(8 + ((turn + caller) % 5));
    }
  });
  await Promise.all(callers);

  assert.ok(vendor.count() <= door.attempts.length);
  assert.ok(vendor.count() >= answered);
  // A new connection answers its first request. On a busy machine it may be closed before each second one.
  assert.ok(answered >= 50, `${answered} answered`);
});

test("a kept connection found dead before anything was written is replaced, as one attempt", async (t) => {
  const vendor = await startVendor(t);
  const { call, http } = openTestClient(t).call(vendor.origin);
  vendor.on("/last", (socket, request) => {
    json({ last: true })(socket, request);
    // The reset arrives while the connection is idle, or while the next request is about to be written.
    setImmediate(() => socket.resetAndDestroy());
  });

  for (let turn = 0; turn < 20; turn += 1) {
    await http.get(`${vendor.origin}/last`);
    await delay(turn % 4);
    await http.get(`${vendor.origin}/next`).catch((fault: unknown) => {
      assert.equal((fault as { code: string }).code, "source.connection_lost");
    });
  }

  assert.ok(call.attempts.length <= 40);
  assert.ok(vendor.count() <= call.attempts.length);
});

test("no more requests are in progress than there are connections; the rest wait in order", async (t) => {
  let now = 0;
  let most = 0;
  const vendor = await startVendor(t, {
    otherwise: (socket, request) => {
      now += 1;
      most = Math.max(most, now);
      after(5, (...args) => {
        now -= 1;
        json({ path: request.path })(...args);
      })(socket, request);
    },
  });
  const door = openTestClient(t, { limits: { connectionsMax: 6 } });
  const { http } = door.call(vendor.origin, { timeoutMs: 20_000 });

  const replies = await Promise.all(Array.from({ length: 30 }, (_, at) => http.get(`${vendor.origin}/${at}`)));

  assert.deepEqual(
    replies.map((reply) => reply.json().path),
    replies.map((_, at) => `/${at}`),
  );
  assert.equal(most, 3);
  assert.equal(vendor.connections, 3);
  assert.deepEqual(door.client.stats().origins, [{ origin: vendor.origin, inFlight: 0, waiting: 0 }]);
});

test("a full queue and too long a wait are shed, and nothing was sent", async (t) => {
  const vendor = await startVendor(t);
  const door = openTestClient(t, { limits: { connectionsMax: 1, waitingMax: 1, waitMaxMs: 300 } });
  const ask = () => door.call(vendor.origin, { timeoutMs: 30_000 }).http;
  const first = ask().get(`${vendor.origin}/delay/1500`);
  const waiting = faultOf(ask().get(vendor.origin));

  const turnedAway = await faultOf(ask().get(vendor.origin));
  assert.deepEqual(door.client.stats().origins, [{ origin: vendor.origin, inFlight: 1, waiting: 1 }]);
  const waited = await waiting;
  await first;

  assert.deepEqual([turnedAway.code, waited.code], ["source.queue_full", "source.queue_full"]);
  assert.equal(door.attempts.length, 1);
  assert.equal(vendor.count(), 1);
});

test("a request whose client hangs up while it waits is not sent when a connection is free", async (t) => {
  const vendor = await startVendor(t);
  const door = openTestClient(t, { limits: { connectionsMax: 1 } });
  const first = door.call(vendor.origin);
  const second = door.call(vendor.origin);
  const third = door.call(vendor.origin);

  const sent = first.http.get(`${vendor.origin}/delay/50`);
  const stopped = codeOf(second.http.get(`${vendor.origin}/second`));
  const late = third.http.get(`${vendor.origin}/third`);
  second.run.clientGone();

  assert.equal((await sent).status, 200);
  assert.equal(await stopped, "source.stopped");
  assert.equal((await late).status, 200);
  assert.equal(vendor.count("/second"), 0);
});

test("a deadline passes also while a request waits", async (t) => {
  const vendor = await startVendor(t);
  const door = openTestClient(t, { limits: { connectionsMax: 1, waitMaxMs: 20_000 } });
  const hung = door.call(vendor.origin, { timeoutMs: 200 });
  const waiting = door.call(vendor.origin, { timeoutMs: 20_000 });
  const first = codeOf(hung.http.get(`${vendor.origin}/hang`));

  const second = await waiting.http.get(vendor.origin);

  assert.equal(await first, "source.timeout");
  assert.equal(second.status, 200);
});

test("a vendor whose connections hang does not keep the connections", async (t) => {
  const vendor = await startVendor(t);
  let hangs = true;
  const door = openTestClient(t, {
    limits: { connectionsMax: 1, lookupMaxMs: 50 },
    resolve: () => (hangs ? new Promise(() => {}) : Promise.resolve(["127.0.0.1"])),
    allowPrivate: [`http://vendor.example:${vendor.port}`],
  });
  const origin = `http://vendor.example:${vendor.port}`;
  assert.equal(await codeOf(door.call(origin, { timeoutMs: 30 }).http.get(origin)), "source.timeout");
  hangs = false;
  await delay(60);

  assert.equal((await door.call(origin).http.get(origin)).status, 200);
  assert.deepEqual(door.client.stats().origins, [{ origin, inFlight: 0, waiting: 0 }]);
});

test("a closed client sends nothing more and leaves no connection open", async (t) => {
  const vendor = await startVendor(t);
  const { client: door, call } = openTestClient(t, { limits: { connectionsMax: 1 } });
  const { http } = call(vendor.origin);
  const underWay = codeOf(http.get(`${vendor.origin}/hang`));
  const waiting = codeOf(http.get(vendor.origin));
  await vendor.received(1);

  door.close();

  assert.equal(await underWay, "source.connection_lost");
  assert.equal(await waiting, "source.stopped");
  assert.equal(await codeOf(http.get(vendor.origin)), "source.stopped");
  assert.equal(vendor.count(), 1);
});

test("unused origins are evicted for others", async (t) => {
  const vendors = [await startVendor(t), await startVendor(t), await startVendor(t)];
  const { client: door, call } = openTestClient(t, { limits: { poolsMax: 2 } });

  for (const { origin } of vendors) await call(origin).http.get(origin);

  assert.deepEqual(
    door.stats().origins.map(({ origin }) => origin),
    vendors.slice(1).map(({ origin }) => origin),
  );
});

test("an organization that asks for origins without end loses its own connections, not another's", async (t) => {
  const vendor = await startVendor(t);
  const names = (count: number): string[] =>
    Array.from({ length: count }, (_, at) => `http://n${at}.vendor.example:${vendor.port}`);
  const { client: door, call } = openTestClient(t, {
    limits: { poolsMax: 4 },
    resolve: async () => ["127.0.0.1"],
    allowPrivate: names(20),
  });
  const other = await call(vendor.origin, { organizationId: "org_2" }).http.get(`${vendor.origin}/connection`);

  for (const origin of names(20)) await call(origin).http.get(origin);

  const again = await call(vendor.origin, { organizationId: "org_2" }).http.get(`${vendor.origin}/connection`);
  assert.equal(door.stats().origins.length, 4);
  assert.deepEqual(again.json(), other.json());
});

test("a slow answer for one organization does not keep another one waiting", async (t) => {
  const vendor = await startVendor(t);
  const { client: door, call } = openTestClient(t, { limits: { connectionsMax: 8, waitingMax: 8 } });
  const slow = Array.from({ length: 30 }, () => codeOf(call(vendor.origin).http.get(`${vendor.origin}/hang`)));
  await vendor.received(4);

  const reply = await call(vendor.origin, { organizationId: "org_2" }).http.get(vendor.origin);

  assert.equal(reply.status, 200);
  assert.equal(vendor.count("/hang"), 4);
  door.close();
  await Promise.all(slow);
});
