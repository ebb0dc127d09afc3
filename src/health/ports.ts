/** What vendor health needs of the store and the ledger. */

/** The counts of a source's sampled replies in one hour or one day, by one process. */
export interface StoredShape {
  readonly source: string;
  /** The digest of the source's version. */
  readonly version: string;
  readonly span: ShapeSpan;
  /** The start of the hour or the day, UTC. */
  readonly at: number;
  /** The process that counted. The counts of all processes add up. */
  readonly writer: string;
  /** The number of sampled replies. */
  readonly samples: number;
  /** The counts by path and type, as `encodeCounts` of `shape-counts.ts` writes them. */
  readonly counts: string;
}

export type ShapeSpan = "hour" | "day";

export interface ShapeQuery {
  readonly source: string;
  /** All versions if left out. */
  readonly version?: string;
  readonly span: ShapeSpan;
  /** The shapes whose `at` is in [from, to). */
  readonly from: number;
  readonly to: number;
}

export interface ReplyShapeStore {
  /** Adds shapes, or replaces those of the same source, version, span, time and writer. */
  saveReplyShapes(shapes: readonly StoredShape[]): Promise<void>;
  /** Oldest first. */
  replyShapes(query: ShapeQuery): Promise<readonly StoredShape[]>;
  /** The sources that had sampled replies since then. */
  sampledSources(since: number): Promise<readonly string[]>;
  /** Deletes the shapes of earlier hours and days. */
  removeReplyShapes(before: number): Promise<void>;
}

/** How the calls of a source ended in one step of time. */
export interface EndedCalls {
  /** The start of the step. */
  readonly at: number;
  readonly match: number;
  readonly noMatch: number;
  /** At the vendor or in the source's code. */
  readonly failed: number;
  /** The number of calls in each bucket of the ledger's histogram of durations. Zeros at the end may be left out. */
  readonly durations: readonly number[];
}

/** The steps with calls of each source, oldest first. */
export type SourceHistory = ReadonlyMap<string, readonly EndedCalls[]>;

/** The ledger's history of calls, without simulated runs. */
export interface CallHistory {
  callHistory(query: {
    /** All sources if left out. */
    readonly source?: string;
    readonly step: ShapeSpan;
    /** The beginning and the end of a step, UTC. */
    readonly from: number;
    readonly to: number;
  }): Promise<SourceHistory>;
  /** An estimate of a percentile in ms; `null` without durations. */
  percentileMs(durations: readonly number[], share: number): number | null;
}

/** A source whose calls take longer than they did. */
export interface SlowSource {
  readonly source: string;
  /** 95 in 100 calls took at most this, in the last hours and in the weeks before. */
  readonly p95Ms: number;
  readonly usualP95Ms: number;
}
