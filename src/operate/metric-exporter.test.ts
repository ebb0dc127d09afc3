import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { createLog } from "./log.ts";
import type { OpenMetric } from "./metric.ts";
import { createMetricExporter } from "./metric-exporter.ts";
import type { CollectorReply } from "./otlp-post.ts";

function open(reply: () => CollectorReply | Promise<CollectorReply>) {
  const clock = new FakeClock();
  const bodies: string[] = [];
  const lines: { event: string; reason: string }[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  let runs = 0;
  const distribution = { bounds: [0.5, 1], buckets: [1, 0, 2], sum: 7.25 };
  const metrics: OpenMetric[] = [
    { name: "runs_total", type: "counter", help: "Runs.", labels: ["kind"], read: () => [[["data"], (runs += 1)]] },
    { name: "level", type: "gauge", help: "Level.", labels: [], read: () => [[[], 1.5]] },
    { name: "limit", type: "gauge", help: "None.", labels: [], read: () => [[[], Infinity]] },
    { name: "took_seconds", type: "histogram", help: "Time.", labels: [], read: () => [[[], distribution]] },
  ];
  const post = async (body: string) => {
    bodies.push(body);
    return reply();
  };
  const resource = [{ key: "service.name", value: { stringValue: "datarun" } }];
  const exporter = createMetricExporter({ post, metrics, intervalMs: 60_000, resource, clock, log });
  return { exporter, clock, bodies, lines };
}

const TAKEN: CollectorReply = { status: 200, rejected: 0 };
const countIn = (body: string) =>
  JSON.parse(body).resourceMetrics[0].scopeMetrics[0].metrics[0].sum.dataPoints[0].asDouble as number;

test("each interval sends totals since the start, in the JSON form of OTLP", async () => {
  const { clock, bodies } = open(() => TAKEN);
  const startTimeUnixNano = `${clock.wall()}000000`;
  await clock.advance(59_999);
  assert.deepEqual(bodies, []);
  await clock.advance(1);
  const timeUnixNano = `${clock.wall()}000000`;
  const since = { startTimeUnixNano, timeUnixNano };
  assert.deepEqual(JSON.parse(bodies[0]!), {
    resourceMetrics: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "datarun" } }] },
        scopeMetrics: [
          {
            scope: { name: "datarun" },
            metrics: [
              {
                name: "runs_total",
                description: "Runs.",
                sum: {
                  aggregationTemporality: 2,
                  dataPoints: [
                    { attributes: [{ key: "kind", value: { stringValue: "data" } }], ...since, asDouble: 1 },
                  ],
                  isMonotonic: true,
                },
              },
              {
                name: "level",
                description: "Level.",
                gauge: { dataPoints: [{ attributes: [], timeUnixNano, asDouble: 1.5 }] },
              },
              {
                name: "took_seconds",
                description: "Time.",
                histogram: {
                  aggregationTemporality: 2,
                  dataPoints: [
                    {
                      attributes: [],
                      ...since,
                      count: "3",
                      sum: 7.25,
                      bucketCounts: ["1", "0", "2"],
                      explicitBounds: [0.5, 1],
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
  });
  await clock.advance(60_000);
  assert.deepEqual(bodies.map(countIn), [1, 2]);
});

test("what does not arrive is one line until it works again, and the next interval sends everything anew", async () => {
  const replies: CollectorReply[] = [
    { status: 401, rejected: 0 },
    { status: 0, rejected: 0 },
    TAKEN,
    { status: 200, rejected: 3 },
  ];
  const { clock, bodies, lines } = open(() => replies.shift()!);
  for (let count = 0; count < 4; count += 1) await clock.advance(60_000);
  assert.deepEqual(bodies.map(countIn), [1, 2, 3, 4]);
  assert.deepEqual(
    lines.map(({ event, reason }) => [event, reason]),
    [
      ["metrics_not_taken", "the collector answered 401"],
      ["metrics_not_taken", "the collector rejected some of them"],
    ],
  );
});

test("the last values are sent at the end, after those that are being sent, and nothing after them", async () => {
  let answer = (_: CollectorReply) => {};
  const { exporter, clock, bodies } = open(() => new Promise((resolve) => (answer = resolve)));
  await clock.advance(60_000);
  const closed = exporter.close(2_000);
  await clock.advance(0);
  assert.equal(bodies.length, 1);
  answer(TAKEN);
  await clock.advance(0);
  assert.equal(bodies.length, 2);
  answer(TAKEN);
  await closed;
  await clock.advance(180_000);
  assert.deepEqual(bodies.map(countIn), [1, 2]);
});

test("a collector that does not answer holds up the end for no longer than it may", async () => {
  const { exporter, clock } = open(() => new Promise(() => {}));
  let isClosed = false;
  const closed = exporter.close(2_000).then(() => (isClosed = true));
  await clock.advance(1_999);
  assert.equal(isClosed, false);
  await clock.advance(1);
  await closed;
});
