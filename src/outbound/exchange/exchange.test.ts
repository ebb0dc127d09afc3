import assert from "node:assert/strict";
import { test } from "node:test";
import type { Dispatcher } from "undici";
import { makeCall, makeRun } from "../../run/call.kit.ts";
import { systemClock } from "../../terms/clock.ts";
import { UsualSizes } from "../../terms/usual-sizes.ts";
import type { Connection } from "../sockets/connection.ts";
import { Exchange } from "./exchange.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { LONG_FROM_BYTES, LongTurns } from "./long-turns.ts";
import { ConnectError } from "../sockets/open-socket.ts";
import type { OriginPool } from "../sockets/origin-pool.ts";
import type { VendorReply } from "./reply.ts";
import { codeOf } from "../door.kit.ts";

type Handler = Required<Dispatcher.DispatchHandler>;
type Turn = (handler: Handler) => void;

const CONTROLLER = { abort: () => {} } as unknown as Dispatcher.DispatchController;

function socketError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

const dies: Turn = (handler) => handler.onResponseError(CONTROLLER, socketError("ECONNRESET"));
const answers: Turn = (handler) => {
  handler.onRequestStart(CONTROLLER, null);
  handler.onResponseStart(CONTROLLER, 200, {});
  handler.onResponseData(CONTROLLER, Buffer.from("{}"));
  handler.onResponseEnd(CONTROLLER, {});
};

/** One exchange over an HTTP client that plays these turns, one for each time a request is handed to it. */
function exchangeOver(
  turns: readonly Turn[],
  maySend = () => true,
  { withinMs = 10_000, longTurns = new LongTurns(systemClock) } = {},
) {
  let dispatched = 0;
  let attempts = 0;
  const run = makeRun({ record: { intend: () => void (attempts += 1), close: () => {} } });
  Object.defineProperty(run, "maySend", { get: maySend });
  const call = makeCall({ run, deadlineAt: run.arrivedAt + withinMs });
  const connection = {
    failed: false,
    discarded: false,
    send: (_: unknown, handler: Handler) => turns[dispatched++]!(handler),
    began: () => {},
    ended: () => {},
  } as unknown as Connection;
  const pool = { origin: "https://a.example", leave: () => {}, withdraw: () => {} } as unknown as OriginPool;
  const reply = new Promise<VendorReply>((resolve, reject) => {
    const request = {
      url: new URL("https://a.example"),
      method: "POST",
      path: "/",
      fields: [],
      body: "x",
      tls: undefined,
    };
    const expects = { answers: undefined, free: false, redirectsLeft: 0, decodedBytesMax: 1_000_000, waitMaxMs: 100 };
    const needs = {
      clock: systemClock,
      limits: DEFAULT_LIMITS,
      replySizes: new UsualSizes(),
      longTurns,
    };
    new Exchange(request, call, pool, needs, expects, resolve, reject).sendBy(connection);
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

for (const code of ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_INFO"]) {
  test(`once the request may have been written, ${code} is final`, async () => {
    const dying: Turn = (handler) => {
      handler.onRequestStart(CONTROLLER, null);
      handler.onResponseError(CONTROLLER, socketError(code));
    };
    const { reply, counts } = exchangeOver([dying, answers]);

    assert.equal(await codeOf(reply), "source.connection_lost");
    assert.deepEqual(counts(), { dispatched: 1, attempts: 1 });
  });
}

test("a connection that never came about is not tried again", async () => {
  const refused: Turn = (handler) => handler.onResponseError(CONTROLLER, new ConnectError("refused"));
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

test("what the HTTP client itself refuses is the adapter's failure, free of charge", async () => {
  const { reply } = exchangeOver([(handler) => handler.onResponseError(CONTROLLER, new TypeError("invalid"))]);

  await assert.rejects(reply, { code: "source.adapter_raised" });
});

test("a large reply whose turn does not come in time is a timeout, and nothing of it is held", async () => {
  const never = new LongTurns({ ...systemClock, after: () => () => {} });
  never.add("org_2", { isAlone: () => false, take: () => false });
  const large: Turn = (handler) => {
    handler.onRequestStart(CONTROLLER, null);
    handler.onResponseStart(CONTROLLER, 200, {});
    handler.onResponseData(CONTROLLER, Buffer.alloc(LONG_FROM_BYTES));
    handler.onResponseEnd(CONTROLLER, {});
  };
  const { reply, run } = exchangeOver([large], () => true, { withinMs: 50, longTurns: never });

  assert.equal(await codeOf(reply), "source.timeout");
  assert.equal(run.held.bytes, 0);
});
