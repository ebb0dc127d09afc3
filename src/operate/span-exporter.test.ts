import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import type { CallReport, RunReport } from "../run/ports.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { createLog } from "./log.ts";
import { countSpans, makeSpans } from "./make-spans.ts";
import type { CollectorReply } from "./otlp-post.ts";
import { createSpanExporter, isSampled } from "./span-exporter.ts";

const TAKEN: CollectorReply = { status: 200, rejected: 0 };
const AWAY: CollectorReply = { status: 0, rejected: 0 };

let runs = 0;

/** A run with this number of calls, each with one request. */
function run(calls = 0, organizationId = "org_a"): RunReport {
  const transactionId = `trx_${(runs += 1).toString(16).padStart(32, "0")}`;
  const attempt = { number: 1, origin: "https://api.acme.example", method: "GET", sentWallAt: 1_760_000_000_010 };
  const ended = { status: 200, tookMs: 5, charged: "yes", price: null };
  const call = {
    source: "acme__people",
    fault: null,
    startedAfterMs: 3,
    tookMs: 20,
    attempts: [{ ...attempt, ...ended }],
  };
  return {
    transactionId,
    organizationId,
    kind: "data",
    functionId: null,
    trace: null,
    startedWallAt: 1_760_000_000_000,
    tookMs: 25,
    calls: Array.from({ length: calls }, () => call as unknown as CallReport),
  } as unknown as RunReport;
}

function open(answer: (body: string) => CollectorReply) {
  const clock = new FakeClock();
  const bodies: string[] = [];
  const lines: { event: string; reason: string }[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  const post = async (body: string) => {
    bodies.push(body);
    return answer(body);
  };
  const exporter = createSpanExporter({ post, samplePercent: 100, resource: [], clock, log });
  return { exporter, clock, bodies, lines };
}

const spansIn = (body: string): { spanId: string }[] => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans;

test("runs are gathered, and many of them are sent at once without waiting", async () => {
  const { exporter, clock, bodies } = open(() => TAKEN);
  exporter.runEnded(run(1));
  exporter.runEnded(run(2));
  await clock.advance(1_999);
  assert.equal(bodies.length, 0);
  await clock.advance(1);
  assert.deepEqual(
    bodies.map((body) => spansIn(body).length),
    [8],
  );
  for (let count = 0; count < 60; count += 1) exporter.runEnded(run(5));
  await clock.advance(0);
  assert.deepEqual(
    bodies.map((body) => spansIn(body).length),
    [8, 517],
  );
  await clock.advance(2_000);
  assert.deepEqual(exporter.counts(), { sent: 8 + 660, dropped: 0 });
  assert.equal(clock.timers, 0, "without runs it does nothing");
});

test("while the collector is away, spans wait up to a limit, the same request is tried ever more rarely, and nothing is sent twice under other ids", async () => {
  let reply = AWAY;
  const { exporter, clock, bodies, lines } = open(() => reply);
  for (let count = 0; count < 1_000; count += 1) exporter.runEnded(run(5));
  const { dropped } = exporter.counts();
  assert.equal(dropped, (1_000 - Math.floor(8_192 / 11)) * 11);
  await clock.advance(0);
  const times: number[] = [];
  for (let second = 0; second < 120; second += 1) {
    const before = bodies.length;
    await clock.advance(1_000);
    if (bodies.length > before) times.push(second + 1);
  }
  assert.deepEqual(times, [1, 3, 7, 15, 31, 61, 91]);
  assert.equal(new Set(bodies).size, 1);
  assert.deepEqual(
    lines.map(({ reason }) => reason),
    ["the collector is too slow"],
  );
  reply = TAKEN;
  while (exporter.counts().sent < 744 * 11 && clock.now() < 300_000) await clock.advance(1_000);
  const ids = [...new Set(bodies)].flatMap(spansIn).map(({ spanId }) => spanId);
  assert.equal(new Set(ids).size, 744 * 11);
  assert.deepEqual(exporter.counts(), { sent: 744 * 11, dropped });
});

test("an organization whose callers have every run sampled leaves capacity for the spans of others", async () => {
  let reply = AWAY;
  const { exporter, clock, bodies } = open(() => reply);
  exporter.runEnded(run(5, "org_b"));
  for (let count = 0; count < 1_000; count += 1) exporter.runEnded(run(5));
  const { dropped } = exporter.counts();
  for (let count = 0; count < 100; count += 1) exporter.runEnded(run(5, "org_b"));
  assert.equal(exporter.counts().dropped, dropped, "none of the other one");
  reply = TAKEN;
  const kept = 1_101 * 11 - dropped;
  while (exporter.counts().sent < kept && clock.now() < 300_000) await clock.advance(1_000);
  const ofB = [...new Set(bodies)].join("").split(`"datarun.organization","value":{"stringValue":"org_b"`).length - 1;
  assert.deepEqual([exporter.counts().sent, ofB], [kept, 101]);
});

test("what a collector refuses or rejects is dropped and counted, and logged once until it takes all again", async () => {
  const replies: CollectorReply[] = [
    { status: 400, rejected: 0 },
    { status: 400, rejected: 0 },
    { status: 200, rejected: 2 },
    TAKEN,
    { status: 404, rejected: 0 },
  ];
  const { exporter, clock, lines } = open(() => replies.shift()!);
  const counts: object[] = [];
  while (replies.length > 0) {
    exporter.runEnded(run(1));
    await clock.advance(2_000);
    counts.push(exporter.counts());
  }
  const expected = [
    [0, 3],
    [0, 6],
    [1, 8],
    [4, 8],
    [4, 11],
  ].map(([sent, dropped]) => ({ sent, dropped }));
  assert.deepEqual(counts, expected);
  assert.deepEqual(
    lines.map(({ reason }) => reason),
    ["the collector answered 400", "the collector answered 404"],
  );
});

test("closing sends what waits, and gives up on a collector that never answers", async () => {
  const good = open(() => TAKEN);
  good.exporter.runEnded(run(3));
  await good.exporter.close(1_000);
  good.exporter.runEnded(run(3));
  assert.deepEqual(good.exporter.counts(), { sent: 7, dropped: 0 });

  const clock = new FakeClock();
  const log = createLog("info", { write: () => {} });
  const hangs = createSpanExporter({ post: () => new Promise(() => {}), samplePercent: 100, resource: [], clock, log });
  hangs.runEnded(run(3));
  const closing = hangs.close(1_000);
  await clock.advance(1_000);
  await closing;
  assert.deepEqual(hangs.counts(), { sent: 0, dropped: 7 });
});

test("every span that is made is counted beforehand, and lies in the time of its run", () => {
  fc.assert(
    fc.property(fc.nat(20), (calls) => {
      const report = run(calls);
      const spans = makeSpans(report);
      assert.equal(spans.length, countSpans(report));
      for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
        assert.ok(BigInt(startTimeUnixNano) >= BigInt(spans[0]!.startTimeUnixNano));
        assert.ok(BigInt(endTimeUnixNano) <= BigInt(spans[0]!.endTimeUnixNano));
      }
    }),
  );
});

test("of runs without a trace about the share that is set is sampled, by their ids; a caller's flag decides for its own", () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `trx_${hash("sha256", String(at), "hex").slice(0, 32)}`);
  for (const percent of [0, 1, 50, 100]) {
    const kept = ids.filter((transactionId) => isSampled({ transactionId, trace: null }, percent)).length;
    assert.ok(Math.abs(kept - percent * 100) <= 300, `${kept} of 10,000 at ${percent} %`);
    assert.equal(ids.filter((transactionId) => isSampled({ transactionId, trace: null }, percent)).length, kept);
  }
  const trace = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", parentId: "00f067aa0ba902b7" };
  for (const [flags, kept] of [
    ["00", false],
    ["01", true],
    ["02", false],
    ["ff", true],
  ] as const)
    assert.equal(isSampled({ transactionId: ids[0]!, trace: { ...trace, flags } }, kept ? 0 : 100), kept, flags);
});
