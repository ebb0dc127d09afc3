/** A metric of the metrics page and of the export by OTLP. `From`: where its values are read. */
export interface Metric<From> {
  /** The whole name. That of a counter ends in `_total`. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Names of labels, each of which has a bounded number of values. */
  readonly labels: readonly string[];
  /** Its current samples; those of a histogram are distributions. */
  readonly read: (from: From) => readonly Sample[];
}

/** `labels`: a value for each label of the metric, in the same order. */
export type Sample = readonly [labels: readonly string[], value: number | Distribution];

/** What was observed since the start. */
export interface Distribution {
  /** Upper bounds of buckets, ascending. */
  readonly bounds: readonly number[];
  /** How many observations fell in each bucket and, as the last number, above all bounds. Not cumulative. */
  readonly buckets: ArrayLike<number>;
  readonly sum: number;
}

/** A metric that knows where to read. */
export type OpenMetric = Metric<void>;

export function readFrom<From>(metrics: readonly Metric<From>[], from: From): readonly OpenMetric[] {
  return metrics.map((metric) => ({ ...metric, read: () => metric.read(from) }));
}
