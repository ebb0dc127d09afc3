import { DAY_MS, dayStart, fromLocal, offsetAt } from "./time-zone.ts";

/** Time ranges that end now, with the names that the address has. */
export const PRESETS = {
  "1h": { label: "1 h", says: "the last hour", step: "minute", count: 60 },
  "24h": { label: "24 h", says: "the last 24 hours", step: "hour", count: 24 },
  "7d": { label: "7 d", says: "the last 7 days", step: "hour", count: 168 },
  "30d": { label: "30 d", says: "the last 30 days", step: "day", count: 30 },
} as const;

export type Preset = keyof typeof PRESETS;
export type Step = "minute" | "hour" | "day";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The times of a chart: the starts of equal steps, and the end of the last. In milliseconds since 1970. */
export interface TimeAxis {
  readonly starts: readonly number[];
  readonly to: number;
  readonly step: Step;
  readonly zone: string;
}

/** The start of the step that a time is in, `count` steps later. Hours are those of UTC. */
function stepStart(ms: number, step: Step, zone: string, count = 0): number {
  if (step === "day") return dayStart(ms, zone, count);
  const length = step === "minute" ? MINUTE_MS : HOUR_MS;
  return (Math.floor(ms / length) + count) * length;
}

/** A preset as whole steps, of which the last is the current one. */
export function presetSpan(name: Preset, now: number, zone: string): { readonly from: number; readonly to: number } {
  const { step, count } = PRESETS[name];
  return { from: stepStart(now, step, zone, 1 - count), to: stepStart(now, step, zone, 1) };
}

/** The smallest step with which a range has few enough points to be read. */
export function stepOf(from: number, to: number): Step {
  const length = to - from;
  if (length <= 3 * HOUR_MS) return "minute";
  return length <= 16 * DAY_MS ? "hour" : "day";
}

/** No chart has more points, and `ledger history` gives no more. */
const POINTS_MAX = 400;

/** The steps of a range. The first and the last may be cut by it. */
export function axisOf(from: number, to: number, step: Step, zone: string): TimeAxis {
  const starts: number[] = [];
  for (let at = stepStart(from, step, zone); at < to && starts.length < POINTS_MAX;) {
    starts.push(at);
    at = stepStart(at, step, zone, 1);
  }
  return { starts, to: stepStart(starts.at(-1) ?? from, step, zone, 1), step, zone };
}

/** A time as a field for date and time shows it, such as 2026-03-01T12:00, in local time of the zone. */
export function toLocalField(ms: number, zone: string): string {
  return new Date(ms + offsetAt(ms, zone)).toISOString().slice(0, 16);
}

/** The time of such a field; `null` if it is empty or no time. */
export function fromLocalField(text: string, zone: string): number | null {
  const local = Date.parse(`${text.slice(0, 16)}Z`);
  return Number.isNaN(local) ? null : fromLocal(local, zone);
}
