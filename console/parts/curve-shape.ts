/** Geometry of a curve in SVG coordinates. */

export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Two to five round numbers from zero to at least `most`. */
export function ticksTo(most: number): readonly number[] {
  const rough = Math.max(most, 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough)!;
  // Counts are whole numbers.
  const whole = Math.max(1, step);
  const last = Math.max(1, Math.ceil(most / whole));
  return Array.from({ length: last + 1 }, (_, at) => at * whole);
}

const QUARTER_S = 15 * 60;

/** The quarter hours between two times, in Unix seconds. */
export function quartersBetween(from: number, to: number): readonly number[] {
  const first = Math.ceil(from / QUARTER_S) * QUARTER_S;
  return Array.from(
    { length: Math.max(0, Math.floor((to - first) / QUARTER_S) + 1) },
    (_, at) => first + at * QUARTER_S,
  );
}

export interface Scale {
  x(time: number): number;
  y(value: number): number;
}

export function scaleOf({ left, right, top, bottom }: Frame, times: readonly number[], most: number): Scale {
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 1];
  return {
    x: (time) => left + ((time - from) / Math.max(1, to - from)) * (right - left),
    y: (value) => bottom - (value / most) * (bottom - top),
  };
}

/** An SVG path through the values, with a gap for each `null`, and the positions of isolated values. */
export function drawLine(times: readonly number[], values: readonly (number | null)[], { x, y }: Scale) {
  const at = (index: number) => `${round(x(times[index]!))} ${round(y(values[index]!))}`;
  const isThere = (index: number) => values[index] !== null && values[index] !== undefined;
  const indexes = [...times.keys()].filter(isThere);
  const alone = indexes.filter((index) => !isThere(index - 1) && !isThere(index + 1));
  return {
    path: indexes.map((index) => `${isThere(index - 1) ? "L" : "M"}${at(index)}`).join(""),
    points: alone.map((index) => ({ x: x(times[index]!), y: y(values[index]!) })),
  };
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
