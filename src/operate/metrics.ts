import { setImmediate as nextTurn } from "node:timers/promises";
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
      // All who have asked by the next turn get the same page: a page of many sources takes milliseconds.
      next ??= page.then(async (make) => {
        await nextTurn();
        next = undefined;
        return make();
      });
      return next;
    },
  };
}
