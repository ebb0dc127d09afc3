import { CALLS_MIN } from "./member-names.ts";
import { probabilityOfNone } from "./probabilities.ts";
import { type PathCounts, type ShapeCounts, JSON_TYPES, type JsonType } from "./shape-counts.ts";
import { memberPath, OTHER_MEMBERS, segmentOf } from "./shape-path.ts";

/** Sampled replies of a time. */
export interface SampledReplies {
  readonly samples: number;
  /** The number of processes that counted them. */
  readonly processes: number;
  readonly counts: ShapeCounts;
}

/** A difference between the replies of two times that chance does not explain. */
export interface PathDrift {
  /** `shifted`: in another share of the replies, of which `find-share-shifts.ts` compares a day. */
  readonly kind: "missing" | "new" | "changed" | "shifted";
  readonly path: string;
  readonly before: PathUse;
  readonly now: PathUse;
}

/** How a path occurs. Types that changed are in only one of the two. */
export interface PathUse {
  /** The replies that could have the path: those with its parent. */
  readonly of: number;
  readonly replies: number;
  readonly types: readonly JsonType[];
}

/** The probability that one comparison of stationary replies reports anything. */
const FALSE_ALARM = 1e-5;

/**
 * Compares the paths of replies with those of earlier ones. A path is compared only among replies that have its parent,
 * so a missing object is reported once, without its members. A path or a type is reported if it occurred and never does
 * any more, or the reverse, and chance is improbable.
 */
export function findDrift(before: SampledReplies, now: SampledReplies): readonly PathDrift[] {
  const paths = new Set([...before.counts.keys(), ...now.counts.keys()]);
  const improbable = FALSE_ALARM / (paths.size * (1 + JSON_TYPES.length));
  const parts: CompareParts = { before, now, improbable };
  return [...paths].toSorted().flatMap((path) => comparePath(path, parts) ?? []);
}

interface ComparedPeriods {
  readonly before: SampledReplies;
  readonly now: SampledReplies;
}

interface CompareParts extends ComparedPeriods {
  readonly improbable: number;
}

function comparePath(path: string, parts: CompareParts): PathDrift | null {
  if (!isComparable(path, parts)) return null;
  const { before, now, improbable } = parts;
  const uses = { before: useOf(path, before), now: useOf(path, now) };
  const kind = verdict(
    uses.before.replies,
    uses.before.of - (uses.before.replies === 0 ? hiddenIn(path, before) : 0),
    uses.now.replies,
    uses.now.of - (uses.now.replies === 0 ? hiddenIn(path, now) : 0),
    improbable,
  );
  if (kind !== null) return { kind, path, ...uses };
  const [old, current] = [before.counts.get(path), now.counts.get(path)];
  if (old === undefined || current === undefined) return null;
  const isChanged = JSON_TYPES.some(
    (type) => verdict(old.types[type], old.total, current.types[type], current.total, improbable) !== null,
  );
  return isChanged ? { kind: "changed", path, ...uses } : null;
}

/**
 * Whether the name of a path means the same at both times. A name that was kept although its siblings are data says
 * nothing. And `*` stands for different members from time to time, because a name is kept from its fifth call on; but
 * those of a map are alike.
 */
export function isComparable(path: string, { before, now }: ComparedPeriods): boolean {
  const segment = segmentOf(path);
  if (segment === null) return true;
  const { parent, name } = segment;
  if (name !== undefined && (isMap(before, parent) || isMap(now, parent))) return false;
  return !path.endsWith(OTHER_MEMBERS) && isBelowMembersAlike(parent, { before, now });
}

function isBelowMembersAlike(path: string, times: ComparedPeriods): boolean {
  const segment = segmentOf(path);
  if (segment === null) return true;
  const { parent } = segment;
  const areAlike = !path.endsWith(OTHER_MEMBERS) || (isMap(times.before, parent) && isMap(times.now, parent));
  return areAlike && isBelowMembersAlike(parent, times);
}

function verdict(
  before: number,
  beforeOf: number,
  now: number,
  nowOf: number,
  improbable: number,
): "missing" | "new" | null {
  const total = beforeOf + nowOf;
  if (now === 0 && before > 0 && nowOf > 0)
    return probabilityOfNone(before, nowOf, total) < improbable ? "missing" : null;
  if (before === 0 && now > 0 && beforeOf > 0)
    return probabilityOfNone(now, beforeOf, total) < improbable ? "new" : null;
  return null;
}

/** The most replies that had this path under `*`, because a process keeps a name from its fifth call on. */
export function hiddenIn(path: string, { counts, processes }: SampledReplies): number {
  const { parent, name } = segmentOf(path) ?? {};
  if (parent === undefined || name === undefined) return 0;
  const others = counts.get(memberPath(parent, OTHER_MEMBERS))?.total ?? 0;
  return Math.min(others, processes * (CALLS_MIN - 1));
}

export function useOf(path: string, { counts, samples }: SampledReplies): PathUse {
  const own = counts.get(path);
  return {
    of: parentReplies(path, counts, samples),
    replies: own?.total ?? 0,
    types: own === undefined ? [] : typesOf(own),
  };
}

/** The replies in which the parent of a path is an object, or a list. */
function parentReplies(path: string, counts: ShapeCounts, samples: number): number {
  const segment = segmentOf(path);
  if (segment === null) return samples;
  const parent = counts.get(segment.parent);
  if (parent === undefined) return 0;
  return parent.types[path.endsWith("[]") ? "list" : "object"];
}

function isMap({ counts }: SampledReplies, path: string): boolean {
  return (counts.get(path)?.maps ?? 0) > 0;
}

function typesOf({ types }: PathCounts): readonly JsonType[] {
  return JSON_TYPES.filter((type) => types[type] > 0);
}
