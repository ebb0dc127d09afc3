import type { RateLimit, SourceDeclaration } from "../../sdk/source.ts";
import type { Clock } from "../../terms/clock.ts";
import { Fault } from "../../terms/fault.ts";
import { OwnedMap } from "../../terms/owned-map.ts";
import type { Answer, Around, PlannedCall, RunnableSource, RunSource } from "../ports.ts";
import { SourceTurns } from "../source-turns.ts";

const BUCKETS_MAX = 10_000;
/** How long a call may wait for its turn; a tenth of its source's timeout if that is less. */
export const TURN_WAIT_MS_MAX = 1_000;

/** A token bucket: full at first, refilled evenly up to its maximum. */
interface Bucket {
  tokens: number;
  filledAt: number;
}

/**
 * The limits that a source declares for itself. A call over a limit per credential fails at once; for limits that all
 * calls share, it waits briefly for its turn. A refused call is never billed.
 */
export function withSourceLimits(clock: Clock): Around {
  const buckets = new OwnedMap<Bucket>(BUCKETS_MAX);
  const turns = new WeakMap<SourceDeclaration, SourceTurns>();

  function bucketOf(limit: RateLimit, index: number, call: PlannedCall): Bucket {
    const { organizationId } = call.run.caller;
    const scope = call.credential?.scope ?? organizationId;
    const now = clock.now();
    const bucket = buckets.getOrMake(organizationId, `${call.id}|${index}|${scope}`, () => ({
      tokens: limit.max,
      filledAt: now,
    }));
    bucket.tokens = Math.min(limit.max, bucket.tokens + ((now - bucket.filledAt) * limit.max) / limit.every_ms);
    bucket.filledAt = now;
    return bucket;
  }

  function takeTokens(limits: readonly RateLimit[] | undefined, call: PlannedCall): readonly Bucket[] {
    if (limits === undefined) return NO_BUCKETS;
    const own = limits.flatMap((limit, index) => (limit.per === "credential" ? [bucketOf(limit, index, call)] : []));
    if (own.some(({ tokens }) => tokens < 1)) throw new Fault("source.rate_limited_here");
    for (const bucket of own) bucket.tokens -= 1;
    return own;
  }

  function turnsOf({ declaration }: RunnableSource): SourceTurns {
    let own = turns.get(declaration);
    if (own === undefined) turns.set(declaration, (own = new SourceTurns(declaration.limits!, clock)));
    return own;
  }

  async function inTurn(source: RunnableSource, call: PlannedCall, next: RunSource): Promise<Answer> {
    const buckets = takeTokens(source.declaration.limits!.rate, call);
    const { organizationId } = call.run.caller;
    const own = turnsOf(source);
    try {
      const waitMaxMs = Math.min(TURN_WAIT_MS_MAX, source.timeoutMs / 10, call.deadlineAt - clock.now());
      const wait = own.enter(organizationId, waitMaxMs);
      if (wait !== null) await wait;
    } catch (fault) {
      // Nothing was sent to the vendor.
      for (const bucket of buckets) bucket.tokens += 1;
      throw fault;
    }
    try {
      return await next(source, call);
    } finally {
      own.leave(organizationId);
    }
  }

  return (next) => (source, call) =>
    source.declaration.limits === undefined ? next(source, call) : inTurn(source, call, next);
}

const NO_BUCKETS: readonly Bucket[] = [];
