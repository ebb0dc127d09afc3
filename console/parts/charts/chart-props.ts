import type { TimeAxis } from "../time-range-shape.ts";
import type { Values } from "./chart-shape.ts";

/** Colours of `tokens.css`, named by what they mean. `series-1` to `series-7` have no meaning of their own. */
type ChartColour =
  | "found"
  | "no-record"
  | "failed"
  | "rejected"
  | "no-credential"
  | "unknown"
  | "accent"
  | "dim"
  | "forecast"
  | `series-${1 | 2 | 3 | 4 | 5 | 6 | 7}`
  | "series-other";

export interface Series {
  readonly label: string;
  readonly colour: ChartColour;
  /** One value for each step; `null` if unknown, which is a gap. */
  readonly values: Values;
  /** The values as text, if `format` would lose digits, as of amounts of money. */
  readonly texts?: readonly (string | null)[];
  readonly isDashed?: boolean;
}

/** A horizontal line, such as a timeout or a budget. */
export interface LimitLine {
  readonly value: number;
  readonly label: string;
}

export interface ChartProps {
  /** What the chart shows, in a sentence for screen readers. */
  readonly says: string;
  readonly axis: TimeAxis;
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Shown if no series has a value above zero. */
  readonly nothing: string;
  /** Start of the known time, in milliseconds. What was before is marked as unknown. */
  readonly knownFrom?: number | null;
  readonly limit?: LimitLine | undefined;
  /** Allows fractions as labels of the axis. */
  readonly isFraction?: boolean;
}
