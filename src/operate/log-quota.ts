import type { Clock } from "../terms/clock.ts";
import type { Log } from "./log.ts";
import { createTally } from "./tally.ts";

/** How much each organization may write, on average and at once. */
export interface LogQuotaLimits {
  readonly bytesPerSecond: number;
  readonly burstBytes: number;
}

/** For the messages of functions and sources. */
export const MESSAGES_QUOTA: LogQuotaLimits = { bytesPerSecond: 64 * 1024, burstBytes: 1024 * 1024 };
/** For what the lines of runs say of their calls: a thousand runs a second with five calls each. */
export const CALLS_QUOTA: LogQuotaLimits = { bytesPerSecond: 1024 * 1024, burstBytes: 8 * 1024 * 1024 };

const SAY_EVERY_MS = 60_000;
/** With more organizations than this, those that have their whole burst again are forgotten. */
const BUCKETS_MAX = 1_000;

export interface LogQuota {
  /**
   * Whether an organization may write so much now. If not, it is to be dropped, and is counted: the first time is logged,
   * and after that the number of times once a minute.
   */
  allows(organizationId: string, bytes: number): boolean;
  /** Logs what has not been logged yet. */
  close(): void;
}

interface Bucket {
  bytes: number;
  at: number;
}

/**
 * Limits what each organization writes to the log, which all share with the service: a token bucket for each. Without
 * it one function that logs in a loop fills the disk of the log.
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
          ? "messages of an organization's functions and sources were dropped, because they are too many"
          : "runs of an organization were logged without their calls, because they are too many",
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
