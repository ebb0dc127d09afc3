import type { Clock } from "../terms/time/clock.ts";
import type { Log } from "./log.ts";
import { createTally } from "./tally.ts";

/** The bytes that each organization may write, as a rate and as a burst. */
export interface LogQuotaLimits {
  readonly bytesPerSecond: number;
  readonly burstBytes: number;
}

/** For messages of functions and sources. */
export const MESSAGES_QUOTA: LogQuotaLimits = { bytesPerSecond: 64 * 1024, burstBytes: 1024 * 1024 };
/** For calls in the lines of runs: enough for a thousand runs a second with five calls each. */
export const CALLS_QUOTA: LogQuotaLimits = { bytesPerSecond: 1024 * 1024, burstBytes: 8 * 1024 * 1024 };

const SAY_EVERY_MS = 60_000;
/** Above this number, buckets that are full again are removed. */
const BUCKETS_MAX = 1_000;

export interface LogQuota {
  /**
   * Whether an organization may write this many bytes now. If not, the caller drops them, and they are counted: the
   * first time is logged, then the number once a minute.
   */
  allows(organizationId: string, bytes: number): boolean;
  /** Logs the pending counts. */
  close(): void;
}

interface Bucket {
  bytes: number;
  at: number;
}

/**
 * Limits what each organization writes to the shared log, with a token bucket for each. Without it, one function that
 * logs in a loop could fill the disk of the log.
 */
export function createLogQuota(
  of: "messages" | "calls",
  { bytesPerSecond, burstBytes }: LogQuotaLimits,
  log: Log,
  clock: Clock,
): LogQuota {
  const buckets = new Map<string, Bucket>();
  const dropped = createTally<string>(
    (organization, count) =>
      log.warn(
        { event: "log_quota_used", organization, of, count },
        of === "messages"
          ? "messages of an organization's functions and sources were dropped because of their number"
          : "runs of an organization were logged without their calls because of their number",
      ),
    clock,
    SAY_EVERY_MS,
  );

  function bucketOf(organizationId: string, now: number): Bucket {
    let bucket = buckets.get(organizationId);
    if (bucket === undefined) {
      if (buckets.size >= BUCKETS_MAX) forgetFull(now);
      bucket = { bytes: burstBytes, at: now };
      buckets.set(organizationId, bucket);
    }
    refill(bucket, now);
    return bucket;
  }

  function forgetFull(now: number): void {
    for (const [organizationId, bucket] of buckets) {
      refill(bucket, now);
      if (bucket.bytes === burstBytes) buckets.delete(organizationId);
    }
  }

  function refill(bucket: Bucket, now: number): void {
    bucket.bytes = Math.min(burstBytes, bucket.bytes + ((now - bucket.at) / 1_000) * bytesPerSecond);
    bucket.at = now;
  }

  return {
    allows(organizationId, bytes) {
      const bucket = bucketOf(organizationId, clock.now());
      if (bucket.bytes >= bytes) {
        bucket.bytes -= bytes;
        return true;
      }
      dropped.note(organizationId);
      return false;
    },
    close: () => dropped.close(),
  };
}
