import type { TimeSpan } from "../terms/time/calendar.ts";
import { DAY_MS, HOUR_MS } from "../terms/time/durations.ts";
import { type HealthFigures, type CallShift, figuresOf, findCallShifts } from "./compare-calls.ts";
import { findDrift, type PathDrift, type SampledReplies } from "./find-drift.ts";
import { type ComparedDays, findShareShifts } from "./find-share-shifts.ts";
import type { CallHistory, ReplyShapeStore, StoredShape } from "./ports.ts";
import { addCounts, decodeCounts, type ShapeCounts } from "./shape-counts.ts";

/** A source's calls and replies of a time, compared with those of the 28 days before. */
export interface SourceHealth {
  readonly source: string;
  readonly from: number;
  readonly to: number;
  /** The start of the earlier time, which ends at `from`. */
  readonly since: number;
  readonly calls: { readonly now: HealthFigures; readonly before: HealthFigures };
  readonly shifts: readonly CallShift[];
  readonly replies: ReplyHealth | null;
}

export interface ReplyHealth {
  /** The digest of the version whose replies are compared: the one with the most samples in the newest hour. */
  readonly version: string;
  /** The sampled replies of the newest hours, and of the earlier time. */
  readonly samples: number;
  readonly samplesBefore: number;
  readonly sampledFrom: number;
  readonly drift: readonly PathDrift[];
}

export interface HealthParts {
  readonly store: ReplyShapeStore;
  readonly history: CallHistory;
}

/** The time that is compared, and the time before it. */
export const PRESENT_MS = DAY_MS;
const BEFORE_MS = 28 * DAY_MS;
/**
 * Hours are added from the newest back until there are so many samples: a reply that changed an hour ago is compared
 * without the replies before.
 */
const SAMPLES_ENOUGH = 200;

export async function readSourceHealth(
  { store, history }: HealthParts,
  source: string,
  { from, to }: TimeSpan,
  isWhole = false,
): Promise<SourceHealth> {
  const [calls, replies] = await Promise.all([
    readCalls(history, { from, to }, source),
    readReplyHealth(store, source, { from, to }, isWhole),
  ]);
  return { source, from, to, since: from - BEFORE_MS, ...calls.of(source), replies };
}

export interface ComparedCalls {
  readonly sources: Iterable<string>;
  of(source: string): Pick<SourceHealth, "calls" | "shifts">;
}

/** Compares the calls of whole hours with those of whole days before. */
export async function readCalls(history: CallHistory, { from, to }: TimeSpan, source?: string): Promise<ComparedCalls> {
  const only = source === undefined ? {} : { source };
  const firstHour = from - (from % HOUR_MS);
  const hours = { from: firstHour, to: firstHour + Math.ceil((to - firstHour) / HOUR_MS) * HOUR_MS };
  const lastDay = from - (from % DAY_MS);
  const [present, earlier] = await Promise.all([
    history.callHistory({ ...only, step: "hour", ...hours }),
    history.callHistory({ ...only, step: "day", from: lastDay - BEFORE_MS, to: lastDay }),
  ]);
  const percentileMs: CallHistory["percentileMs"] = (...asked) => history.percentileMs(...asked);
  return {
    sources: present.keys(),
    of(id) {
      const [now, days] = [present.get(id) ?? [], earlier.get(id) ?? []];
      return {
        calls: { now: figuresOf(now, percentileMs), before: figuresOf(days, percentileMs) },
        shifts: findCallShifts(now, days, percentileMs),
      };
    },
  };
}

/**
 * `null` if no reply was sampled in the time.
 * @param isWhole whether all hours of the time are compared, not only the newest
 */
export async function readReplyHealth(
  store: ReplyShapeStore,
  source: string,
  { from, to }: TimeSpan,
  isWhole = false,
): Promise<ReplyHealth | null> {
  const hours = await store.replyShapes({ source, span: "hour", from: from - (from % HOUR_MS), to });
  if (hours.length === 0) return null;
  const version = usualVersion(hours.filter(({ at }) => at === hours.at(-1)!.at));
  const ofVersion = hours.filter((shape) => shape.version === version);
  const recent = isWhole ? ofVersion : newestHours(ofVersion);
  const now = await sumOf(recent);
  const earlier = await earlierShapes(store, { source, version, from });
  const days = await Promise.all([...Map.groupBy(earlier, ({ at }) => at - (at % DAY_MS)).values()].map(sumOf));
  const before = together(days, processesOf(earlier));
  const today = recent.length === ofVersion.length ? now : await sumOf(ofVersion);
  return {
    version,
    samples: now.samples,
    samplesBefore: before.samples,
    sampledFrom: recent[0]!.at,
    drift: before.samples === 0 ? [] : compareReplies({ before, days, today }, now),
  };
}

function compareReplies(compared: ComparedDays, now: SampledReplies): readonly PathDrift[] {
  const drift = findDrift(compared.before, now);
  const shifts = findShareShifts(compared, new Set(drift.map(({ path }) => path)));
  return [...drift, ...shifts].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The version with the most samples: workflows may run several. */
function usualVersion(shapes: readonly StoredShape[]): string {
  const samples = new Map<string, number>();
  for (const shape of shapes) samples.set(shape.version, (samples.get(shape.version) ?? 0) + shape.samples);
  return [...samples].toSorted(([, one], [, other]) => other - one)[0]![0];
}

/** Whole hours with enough samples; all if there are fewer. Several processes may have counted in an hour. */
function newestHours(hours: readonly StoredShape[]): readonly StoredShape[] {
  let samples = 0;
  let first = hours.length;
  while (first > 0 && (samples < SAMPLES_ENOUGH || hours[first - 1]!.at === hours[first]!.at)) {
    first -= 1;
    samples += hours[first]!.samples;
  }
  return hours.slice(first);
}

/** The days of the earlier time, and the hours of its last, incomplete day. */
async function earlierShapes(
  store: ReplyShapeStore,
  { source, version, from }: { readonly source: string; readonly version: string; readonly from: number },
): Promise<readonly StoredShape[]> {
  const lastDay = from - (from % DAY_MS);
  const hour = from - (from % HOUR_MS);
  const days = store.replyShapes({ source, version, span: "day", from: from - BEFORE_MS, to: lastDay });
  const hours = store.replyShapes({ source, version, span: "hour", from: lastDay, to: hour });
  return [...(await days), ...(await hours)];
}

async function sumOf(shapes: readonly StoredShape[]): Promise<SampledReplies> {
  const counts: ShapeCounts = new Map();
  let samples = 0;
  for (const shape of shapes) {
    samples += shape.samples;
    addCounts(counts, await decodeCounts(shape.counts));
  }
  return { samples, counts, processes: processesOf(shapes) };
}

function together(days: readonly SampledReplies[], processes: number): SampledReplies {
  const counts: ShapeCounts = new Map();
  for (const day of days) addCounts(counts, day.counts);
  return { samples: days.reduce((sum, { samples }) => sum + samples, 0), counts, processes };
}

function processesOf(shapes: readonly StoredShape[]): number {
  return new Set(shapes.map(({ writer }) => writer)).size;
}
