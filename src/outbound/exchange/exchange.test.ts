import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCall, makeRun } from "../../run/call.kit.ts";
import { NO_RECORD } from "../../run/not-recorded.ts";
import { systemClock } from "../../terms/time/clock.ts";
import { type VendorConnection, LostError, type ReplyHandler } from "../sockets/vendor-connection.ts";
import { VendorExchange } from "./exchange.ts";
import { DEFAULT_LIMITS } from "../outbound-limits.ts";
import { ConnectError } from "../sockets/open-socket.ts";
import type { OriginPool } from "../sockets/origin-pool.ts";
import type { VendorReply } from "./vendor-reply.ts";
import { codeOf } from "../http-client.kit.ts";

type Turn = (handler: ReplyHandler) => void;

const dies: Turn = (handler) => handler.onError(new LostError("reset", "ECONNRESET"));
const starts: Turn = (handler) => {
  const { run, intent } = handler.onReady();
  run.intend([intent]).record();
  handler.onSend();
};
const answers: Turn = (handler) => {
  starts(handler);
  handler.onHead(200, {});
  handler.onBody(Buffer.from("{}"));
  handler.onEnd();
};

/** One exchange over a connection that follows this script: one entry for each request that the connection gets. */
function exchangeOver(turns: readonly Turn[], maySend = () => true, { withinMs = 10_000, clock = systemClock } = {}) {
  let dispatched = 0;
  let attempts = 0;
  const run = makeRun({ record: { ...NO_RECORD, intend: () => ({ record: () => void (attempts += 1) }) } });
  Object.defineProperty(run, "maySend", { get: maySend });
  const call = makeCall({ run, deadlineAt: run.arrivedAt + withinMs });
  const connection = {
    isDiscarded: false,
    send: (_: unknown, handler: ReplyHandler) => turns[dispatched++]!(handler),
  } as unknown as VendorConnection;
  const pool = { origin: "https://a.example", release: () => {}, withdraw: () => {} } as unknown as OriginPool;
  const reply = new Promise<VendorReply>((resolve, reject) => {
    const request = {
      url: new URL("https://a.example"),
      method: "POST",
      path: "/",
      fields: [],
      body: "x",
      bodyBytes: 1,
      tls: undefined,
      match: "exact" as const,
      redirectsLeft: 0,
    };
    const billing = { free: false, model: "per_call", listPrice: null } as const;
    const expects = {
      answers: undefined,
      billing,
      reserved: null,
      lenient: false,
      redirectsLeft: 0,
      requestBytes: 0,
      decodedBytesMax: 1_000_000,
      waitMaxMs: 100,
    };
    const needs = {
      clock,
      limits: DEFAULT_LIMITS,
    };
    new VendorExchange(request, call, pool, needs, expects, resolve, reject).sendOn(connection);
  });
  return { reply, run, counts: () => ({ dispatched, attempts }) };
}

test("a connection that died before the request was written is replaced, and the request is one attempt", async () => {
  const { reply, counts } = exchangeOver([dies, answers]);

  assert.equal((await reply).text(), "{}");
  assert.deepEqual(counts(), { dispatched: 2, attempts: 1 });
});

test("that happens once", async () => {
  const { reply, counts } = exchangeOver([dies, dies, answers]);

  assert.equal(await codeOf(reply), "source.unreachable");
  assert.deepEqual(counts(), { dispatched: 2, attempts: 0 });
});

for (const code of ["ECONNRESET", "EPIPE", "ETIMEDOUT", undefined]) {
  test(`once the request may have been written, ${code ?? "its end"} is final`, async () => {
    const dying: Turn = (handler) => {
      starts(handler);
      handler.onError(new LostError("lost", code));
    };
    const { reply, counts } = exchangeOver([dying, answers]);

    assert.equal(await codeOf(reply), "source.connection_lost");
    assert.deepEqual(counts(), { dispatched: 1, attempts: 1 });
  });
}

test("a connection that never came about is not tried again", async () => {
  const refused: Turn = (handler) => handler.onError(new ConnectError("refused"));
  const { reply, counts } = exchangeOver([refused, answers]);

  assert.equal(await codeOf(reply), "source.unreachable");
  assert.deepEqual(counts(), { dispatched: 1, attempts: 0 });
});

test("nothing is sent again for a client that has hung up meanwhile", async () => {
  let mine = true;
  const { reply, counts } = exchangeOver(
    [
      (handler) => {
        mine = false;
        dies(handler);
      },
      answers,
    ],
    () => mine,
  );

  assert.equal(await codeOf(reply), "source.unreachable");
  assert.deepEqual(counts(), { dispatched: 1, attempts: 0 });
});

test("what cannot be written is the adapter's failure, free of charge", async () => {
  const { reply } = exchangeOver([(handler) => handler.onError(new TypeError("invalid"))]);

  await assert.rejects(reply, { code: "source.adapter_raised" });
});
