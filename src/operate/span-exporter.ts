import { setImmediate as nextTurn } from "node:timers/promises";
import type { RunObserver, RunReport } from "../run/ports.ts";
import type { Clock } from "../terms/clock.ts";
import { FairShare } from "../terms/fair-share.ts";
import { settledWithin } from "../terms/within.ts";
import type { Log } from "./log.ts";
import type { CollectorReply } from "./otlp-post.ts";
import { type Attribute, countSpans, makeSpans, type Span, traceIdOf } from "./make-spans.ts";

/** Sends runs that have ended to an OpenTelemetry collector, as spans. No run waits for it, whatever the collector does. */
export interface SpanExporter extends RunObserver {
  /** Since the start. */
  readonly counts: () => SpanCounts;
  /** Sends what is waiting, for at most that time; the rest is dropped. */
  close(withinMs: number): Promise<void>;
}

export interface SpanCounts {
  readonly sent: number;
  readonly dropped: number;
}

export interface ExporterParts {
  /** Sends one request with this body. Never rejects. */
  readonly post: (body: string) => Promise<CollectorReply>;
  /** Of the runs whose caller has not decided whether its trace is kept. */
  readonly samplePercent: number;
  /** Describes this service. */
  readonly resource: readonly Attribute[];
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Spans that may wait, about 10 MB as reports; further runs are dropped. Organizations share them, because a caller can
 * have all its runs sampled.
 */
const WAITING_SPANS_MAX = 8_192;
/** A request is sent when so many spans wait, or after that time. */
const SPANS_A_REQUEST = 512;
const GATHER_MS = 2_000;
/** After a failure that may pass, the next try waits; each time twice as long, up to the maximum. */
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 30_000;
/** Statuses after which OTLP asks for the same request again. 0: no reply. */
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
  /** Made once, so that a collector that gets a request again can tell by the ids. */
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
    // One line until it works again: the metric counts them.
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
    // A turn of its own: the run that has just ended is still to be answered.
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

/** The caller decides for its own traces. Of the others, the same share is kept whichever service decides by the id. */
export function isSampled(report: Pick<RunReport, "trace" | "transactionId">, percent: number): boolean {
  if (report.trace !== null) return (Number.parseInt(report.trace.flags, 16) & 1) === 1;
  const digits = 13;
  return Number.parseInt(traceIdOf(report).slice(-digits), 16) < (percent / 100) * 16 ** digits;
}

function bodyOf(attributes: readonly Attribute[], spans: readonly Span[]): string {
  return JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: SCOPE, spans }] }] });
}
