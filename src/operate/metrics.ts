import type { Clock } from "../terms/time/clock.ts";
import { COUNTED_METRICS } from "./counted-metrics.ts";
import { createCounting, type Counting } from "./counts.ts";
import { CONTENT_TYPE, writeExposition } from "./exposition.ts";
import { readFrom, type OpenMetric } from "./metric.ts";
import { openProcessMetrics } from "./process-metrics.ts";
import { READING_METRICS, type Readings } from "./readings.ts";

export interface MetricsPage {
  readonly text: string;
  readonly contentType: string;
}

export interface Metrics extends Counting {
  /** The page for Prometheus. */
  page(): MetricsPage;
  /** All metrics, for readers other than the page. */
  open(): readonly OpenMetric[];
  close(): void;
}

/**
 * Runs only add to plain arrays and maps; all other values are read on demand. So metrics cost a run almost nothing.
 * The metrics of the process are collected from the first `page` or `open` on.
 */
export function createMetrics(isSource: (id: string) => boolean, readings: Readings, clock: Clock): Metrics {
  const counting = createCounting(isSource, clock);
  const opened = new DisposableStack();
  let ofPage: readonly OpenMetric[] | undefined;

  function open(): readonly OpenMetric[] {
    const process = opened.use(openProcessMetrics());
    return [...readFrom(COUNTED_METRICS, counting.counts), ...readFrom(READING_METRICS, readings), ...process.metrics];
  }

  return {
    ...counting,
    open,
    page: () => ({ text: writeExposition((ofPage ??= open())), contentType: CONTENT_TYPE }),
    close: () => opened.dispose(),
  };
}
