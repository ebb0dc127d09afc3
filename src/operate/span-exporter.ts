import { setImmediate as nextTurn } from "node:timers/promises";
import type { RunObserver, RunReport } from "../run/ports.ts";
import type { Clock } from "../terms/time/clock.ts";
import { FairShare } from "../terms/concurrency/fair-share.ts";
import { settledWithin } from "../terms/time/within.ts";
import type { Log } from "./log.ts";
import type { CollectorReply } from "./otlp-post.ts";
import { type Attribute, countSpans, makeSpans, type TraceSpan, traceIdOf } from "./make-spans.ts";

/** Sends finished runs to an OpenTelemetry collector as spans. No run waits for the collector. */
export interface SpanExporter extends RunObserver {
  /** Counts since the start. */
  readonly counts: () => SpanCounts;
  /** Sends the waiting spans for at most `withinMs`, and drops the rest. */
  close(withinMs: number): Promise<void>;
}

export interface SpanCounts {
  readonly sent: number;
  readonly dropped: number;
}

export interface ExporterParts {
  /** Sends one request with this body. Never rejects. */
  readonly post: (body: string) => Promise<CollectorReply>;
  /** The percentage of runs to send, unless the caller has decided for its trace. */
  readonly samplePercent: number;
  /** Describes this service. */
  readonly resource: readonly Attribute[];
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Limit of waiting spans, about 10 MB as reports. Further runs are dropped. Organizations share the limit fairly,
 * because a caller can have all its runs sampled.
 */
const WAITING_SPANS_MAX = 8_192;
/** A request is sent when this number of spans waits, or after `GATHER_MS`. */
const SPANS_A_REQUEST = 512;
const GATHER_MS = 2_000;
/** Wait after a temporary failure. It doubles up to the maximum. */
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 30_000;
/** Statuses after which OTLP requires a retry of the same request. 0: no reply. */
const PASSING = new Set([0, 429, 502, 503, 504]);
const SCOPE = { name: "datarun" };

interface Batch {
  readonly body: string;
  readonly spans: number;
  readonly reports: readonly RunReport[];
}

export function createSpanExporter(parts: ExporterParts): SpanExporter {
  const { clock, log, samplePercent } = parts;
  const waiting: RunReport[] = [];
  /** Built once, so that a retry contains the same ids and the collector can recognise it. */
  let batch: Batch | null = null;
  const share = new FairShare(WAITING_SPANS_MAX, undefined, true);
  let sent = 0;
  let dropped = 0;
  let cancelTimer: (() => void) | null = null;
  let sending: Promise<void> | null = null;
  let failures = 0;
  let told = false;
  let closed = false;

  function drop(spans: number, reason: string): void {
    dropped += spans;
    // A drop is logged once until a request succeeds. The metric has the number.
    if (!told) log.warn({ event: "spans_dropped", reason }, "spans do not reach the collector");
    told = true;
  }

  function later(delayMs: number): void {
    cancelTimer ??= clock.after(delayMs, send, "loose");
  }

  function send(): void {
    cancelTimer?.();
    cancelTimer = null;
    sending ??= sendWaiting().finally(() => (sending = null));
  }

  async function sendWaiting(): Promise<void> {
    // Starts in another tick, because the finished run must be answered first.
    for (await nextTurn(); ; await nextTurn()) {
      batch ??= nextBatch();
      if (batch === null) return;
      const reply = await parts.post(batch.body);
      if (PASSING.has(reply.status)) {
        failures += 1;
        if (!closed) later(Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** (failures - 1)));
        return;
      }
      settle(batch, reply);
      batch = null;
      if (waiting.length > 0 && share.inUse < SPANS_A_REQUEST && !closed) return later(GATHER_MS);
    }
  }

  function settle({ spans, reports }: Batch, { status, rejected }: CollectorReply): void {
    const isTaken = status >= 200 && status < 300;
    const lost = isTaken ? Math.min(spans, rejected) : spans;
    failures = 0;
    for (const report of reports) share.give(report.organizationId, countSpans(report));
    sent += spans - lost;
    if (lost === 0) told = false;
    else drop(lost, isTaken ? "the collector rejected them" : `the collector answered ${status}`);
  }

  function nextBatch(): Batch | null {
    let count = 0;
    for (let spans = 0; count < waiting.length && spans < SPANS_A_REQUEST; count += 1)
      spans += countSpans(waiting[count]!);
    if (count === 0) return null;
    const reports = waiting.splice(0, count);
    const spans = reports.flatMap(makeSpans);
    return { body: bodyOf(parts.resource, spans), spans: spans.length, reports };
  }

  return {
    runEnded(report) {
      if (closed || !isSampled(report, samplePercent)) return;
      const spans = countSpans(report);
      if (!share.take(report.organizationId, spans)) {
        return drop(spans, failures > 0 ? "the collector does not answer" : "the collector is too slow");
      }
      waiting.push(report);
      if (failures > 0 || sending !== null) return;
      if (share.inUse >= SPANS_A_REQUEST) send();
      else later(GATHER_MS);
    },
    counts: () => ({ sent, dropped }),
    async close(withinMs) {
      closed = true;
      send();
      await settledWithin(clock, withinMs, sending ?? Promise.resolve());
      if (share.inUse > 0) drop(share.inUse, "the service has ended");
    },
  };
}

/** The caller decides for its own traces. For others, all services that sample by the id keep the same share. */
export function isSampled(report: Pick<RunReport, "trace" | "transactionId">, percent: number): boolean {
  if (report.trace !== null) return (Number.parseInt(report.trace.flags, 16) & 1) === 1;
  const digits = 13;
  return Number.parseInt(traceIdOf(report).slice(-digits), 16) < (percent / 100) * 16 ** digits;
}

function bodyOf(attributes: readonly Attribute[], spans: readonly TraceSpan[]): string {
  return JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: SCOPE, spans }] }] });
}
