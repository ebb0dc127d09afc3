/** A metric of the metrics page and of the OTLP export. `From`: where its values are read. */
export interface Metric<From> {
  /** The complete name. Counters end in `_total`. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Names of labels. Each has a bounded number of values. */
  readonly labels: readonly string[];
  /** The current samples. Samples of a histogram are distributions. */
  readonly read: (from: From) => readonly Sample[];
}

/** `labels`: a value for each label of the metric, in the same order. */
export type Sample = readonly [labels: readonly string[], value: number | Distribution];

/** Observations since the start. */
export interface Distribution {
  /** Upper bounds of the buckets, ascending. */
  readonly bounds: readonly number[];
  /** Observations in each bucket, and as the last number those above all bounds. Not cumulative. */
  readonly buckets: ArrayLike<number>;
  readonly sum: number;
}

/** A metric that is bound to its values. */
export type OpenMetric = Metric<void>;

export function readFrom<From>(metrics: readonly Metric<From>[], from: From): readonly OpenMetric[] {
  return metrics.map((metric) => ({ ...metric, read: () => metric.read(from) }));
}

/** A gauge without labels. */
export function gauge<From>(name: string, help: string, read: (from: From) => number): Metric<From> {
  return { name, type: "gauge", help, labels: [], read: (from) => [[[], read(from)]] };
}

/** A counter without labels. `read` must never decrease during the life of the process. */
export function counter<From>(name: string, help: string, read: (from: From) => number): Metric<From> {
  return { ...gauge(name, help, read), type: "counter" };
}
