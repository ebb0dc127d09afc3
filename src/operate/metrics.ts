import { createCounting, type Counting } from "./counts.ts";
import type { Readings } from "./gauges.ts";
import type { MetricsPage } from "./metrics-page.ts";

export interface Metrics extends Omit<Counting, "counts"> {
  page(): Promise<MetricsPage>;
}

/**
 * Prometheus metrics. A run adds to plain arrays, and the page is built when it is requested, by a library that is loaded
 * then, so counting costs a run almost nothing.
 */
export function createMetrics(isSource: (id: string) => boolean, readings: Readings): Metrics {
  const { counts, ...counting } = createCounting(isSource);
  let page: Promise<() => Promise<MetricsPage>> | undefined;
  return {
    ...counting,
    async page() {
      page ??= import("./metrics-page.ts").then(({ createPage }) => createPage(counts, readings));
      return (await page)();
    },
  };
}
