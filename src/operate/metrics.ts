import { createCounting, type Counting } from "./counts.ts";
import type { Clock } from "../terms/clock.ts";
import type { Readings } from "./gauges.ts";
import type { MetricsPage } from "./metrics-page.ts";

export interface Metrics extends Counting {
  page(): Promise<MetricsPage>;
}

/**
 * Prometheus metrics. A run adds to plain arrays, and the page is built when it is requested, by a library that is loaded
 * then, so counting costs a run almost nothing.
 */
export function createMetrics(isSource: (id: string) => boolean, readings: Readings, clock: Clock): Metrics {
  const counting = createCounting(isSource, clock);
  let page: Promise<() => Promise<MetricsPage>> | undefined;
  let next: Promise<MetricsPage> | undefined;
  return {
    ...counting,
    page() {
      page ??= import("./metrics-page.ts").then(({ createPage }) => createPage(counting.counts, readings, clock));
      // All who ask in one turn get one page: a page of many sources takes milliseconds.
      if (next === undefined) {
        next = page.then((make) => make());
        setImmediate(() => (next = undefined));
      }
      return next;
    },
  };
}
