import type { RateLimit } from "../../sdk/source.ts";
import type { Clock } from "../../terms/clock.ts";
import { Fault } from "../../terms/fault.ts";
import { OwnedMap } from "../../terms/owned-map.ts";
import type { Around, PlannedCall } from "../ports.ts";

const BUCKETS_MAX = 10_000;

/** A token bucket: full at first, refilled evenly, never more than full. */
interface Bucket {
  tokens: number;
  filledAt: number;
}

/** The limits a source declares for itself. A call that finds no room fails at once and bills nobody. */
export function withSourceLimits(clock: Clock): Around {
  const buckets = new OwnedMap<Bucket>(BUCKETS_MAX);
  const running = new Map<string, number>();

  function takeToken(limit: RateLimit, index: number, call: PlannedCall): void {
    const { organizationId } = call.run.caller;
    const [owner, scope] =
      limit.per === "credential" ? [organizationId, call.credential?.scope ?? organizationId] : ["", ""];
    const bucket = buckets.getOrMake(owner, `${call.id}|${index}|${scope}`, () => ({
      tokens: limit.max,
      filledAt: clock.now(),
    }));
    const now = clock.now();
    bucket.tokens = Math.min(limit.max, bucket.tokens + ((now - bucket.filledAt) * limit.max) / limit.every_ms);
    bucket.filledAt = now;
    if (bucket.tokens < 1) throw new Fault("source.rate_limited_here");
    bucket.tokens -= 1;
  }

  return (next) => (source, call) => {
    const { limits } = source.declaration;
    if (limits === undefined || call.run.simulated) return next(source, call);
    const under = running.get(source.id) ?? 0;
    if (limits.concurrency !== undefined && under >= limits.concurrency)
      return Promise.reject(new Fault("source.queue_full"));
    try {
      limits.rate?.forEach((limit, index) => takeToken(limit, index, call));
    } catch (fault) {
      return Promise.reject(fault);
    }
    running.set(source.id, under + 1);
    return next(source, call).finally(() => running.set(source.id, running.get(source.id)! - 1));
  };
}
