import type { Clock } from "../terms/time/clock.ts";
import { DAY_MS, HOUR_MS } from "../terms/time/durations.ts";
import { settledWithin } from "../terms/time/within.ts";
import { MemberNames } from "./member-names.ts";
import type { ReplyShapeStore, ShapeSpan, StoredShape } from "./ports.ts";
import type { CallSample } from "./sample-replies.ts";
import { countReply, decodeCounts, encodeCounts, type ShapeCounts } from "./shape-counts.ts";
import { shapeOfReply } from "./shape-of-reply.ts";

/** How long shapes are kept: 28 days of comparison, and a week to look back. */
const RETENTION_MS = 35 * DAY_MS;

const SAVE_EVERY_MS = 60_000;
const CLOSE_MS = 1_000;
/** The most versions of sources that are counted at the same time. */
const VERSIONS_MAX = 500;

export interface CountShapesParts {
  readonly store: ReplyShapeStore;
  readonly clock: Clock;
  /** The id of this start of the service. */
  readonly startId: string;
  /** The stored content of a version of a source; `null` if there is none. */
  content(source: string, version: string): Promise<string | null>;
}

export interface ShapeCounter extends AsyncDisposable {
  /** Counts the paths of a sample. A sample is lost if the store cannot say which names are known. */
  count(sample: CallSample): Promise<void>;
}

interface CountedVersion {
  readonly source: string;
  readonly version: string;
  readonly names: MemberNames;
  readonly spans: Map<ShapeSpan, CountedSpan>;
}

interface CountedSpan {
  readonly at: number;
  samples: number;
  readonly counts: ShapeCounts;
  isSaved: boolean;
}

/**
 * Counts sampled replies by hour and by day, in memory, and writes what has changed about once a minute. A process writes
 * only rows of its own, each as a whole: nothing is read first, and a write that failed is made good by the next.
 */
export function countShapes({ store, clock, startId, content }: CountShapesParts): ShapeCounter {
  let versions = new Map<string, CountedVersion>();
  /** Part of the writer: after counts were given up, others must not replace those that are stored. */
  let generation = 0;
  let stopTimer: (() => void) | undefined;
  let saving: Promise<void> = Promise.resolve();
  let removedAt = 0;

  async function versionOf({ source, version }: CallSample): Promise<CountedVersion> {
    const key = `${source}/${version}`;
    const found = versions.get(key);
    if (found !== undefined) return found;
    const wallAt = clock.wall();
    const known = await store.replyShapes({ source, span: "day", from: wallAt - RETENTION_MS, to: wallAt });
    const paths = new Set<string>();
    for (const shape of known) for (const path of (await decodeCounts(shape.counts)).keys()) paths.add(path);
    const names = new MemberNames((await content(source, version)) ?? "", paths);
    if (versions.size >= VERSIONS_MAX) {
      await save();
      versions = new Map();
      generation += 1;
    }
    const added = { source, version, names, spans: new Map<ShapeSpan, CountedSpan>() };
    versions.set(key, added);
    return added;
  }

  /** The counts of the present hour or day. */
  async function spanOf({ spans }: CountedVersion, span: ShapeSpan): Promise<CountedSpan> {
    const wallAt = clock.wall();
    const at = wallAt - (wallAt % (span === "hour" ? HOUR_MS : DAY_MS));
    const found = spans.get(span);
    if (found?.at === at) return found;
    if (found?.isSaved === false) await save();
    const next = { at, samples: 0, counts: new Map(), isSaved: true };
    spans.set(span, next);
    return next;
  }

  async function write(): Promise<void> {
    const unsaved = [...versions.values()].flatMap(({ source, version, spans }) =>
      [...spans].filter(([, { isSaved }]) => !isSaved).map(([span, counted]) => ({ source, version, span, counted })),
    );
    const writer = generation === 0 ? startId : `${startId}/${generation}`;
    try {
      const shapes = unsaved.map(async ({ counted: { at, samples, counts }, ...key }): Promise<StoredShape> => ({
        ...key,
        at,
        writer,
        samples,
        counts: await encodeCounts(counts),
      }));
      for (const { counted } of unsaved) counted.isSaved = true;
      await store.saveReplyShapes(await Promise.all(shapes));
      const wallAt = clock.wall();
      if (wallAt - removedAt < HOUR_MS) return;
      removedAt = wallAt;
      await store.removeReplyShapes(wallAt - RETENTION_MS);
    } catch {
      // The next write contains these counts too.
      for (const { counted } of unsaved) counted.isSaved = false;
    }
  }

  function save(): Promise<void> {
    saving = saving.then(write);
    return saving;
  }

  return {
    async count(sample) {
      try {
        const version = await versionOf(sample);
        const documents = sample.documents();
        if (documents.size === 0) return;
        const spans = [await spanOf(version, "hour"), await spanOf(version, "day")];
        const seen = [...documents].map(([path, body]) => shapeOfReply(body, path, version.names, sample.call));
        for (const span of spans) {
          span.samples += 1;
          span.isSaved = false;
          for (const paths of seen) countReply(span.counts, paths);
        }
      } catch {
        return;
      }
      stopTimer ??= clock.after(
        SAVE_EVERY_MS,
        () => {
          stopTimer = undefined;
          void save();
        },
        "loose",
      );
    },
    async [Symbol.asyncDispose]() {
      stopTimer?.();
      await settledWithin(clock, CLOSE_MS, save());
    },
  };
}
