import { STARTED_MAX, StartedLimits } from "./started-limits.ts";
import type { Lease, Leases, SharedLimit } from "./ports.ts";
import type { SourceDeclaration } from "../../sdk/source.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { Fault } from "../../terms/fault.ts";
import { OwnedMap } from "../../terms/collections/owned-map.ts";
import type { CallMiddleware, PlannedCall, RunnableSource } from "../ports.ts";
import { SourceLimiter, type CallPermit, type PermitRequest, type DeclaredLimit } from "../source-limiter.ts";

const CREDENTIALS_MAX = 10_000;
/**
 * How long a call may wait for limits that all calls of its source share; a tenth of its source's timeout if that is
 * less.
 */
const PERMIT_WAIT_MS_MAX = 1_000;

/** The limits of one source: those that all its calls share, and whether there are others per credential. */
interface SourceLimiters {
  readonly shared: SourceLimiter | null;
  readonly perCredential: boolean;
}

/**
 * Applies the limits that a source declares, which hold for all processes together. A call over a limit per credential
 * fails at once. A call over a limit that all calls of the source share waits briefly. A refused call is never billed. An
 * organization that invents credentials can start only a limited number of limits in each period.
 */
export function withSourceLimits(leaseOf: Leases, clock: Clock, startedMax = STARTED_MAX): CallMiddleware {
  const bySource = new WeakMap<SourceDeclaration, SourceLimiters>();
  const byCredential = new OwnedMap<SourceLimiter>(CREDENTIALS_MAX);
  const startedLimits = new StartedLimits(startedMax);

  function limitsOf(source: RunnableSource): SourceLimiters {
    let limits = bySource.get(source.declaration);
    if (limits === undefined) {
      const shared = [
        ...concurrencyOf(source, leaseOf),
        ...ratesOf(source, "source", "", (limit) => leaseOf(limit, source.id)),
      ];
      limits = {
        shared: shared.length === 0 ? null : new SourceLimiter(shared, clock, true),
        perCredential: source.declaration.limits!.rate?.some(({ per }) => per === "credential") ?? false,
      };
      bySource.set(source.declaration, limits);
    }
    return limits;
  }

  /** @throws Fault */
  function limiterOfCredential(source: RunnableSource, { run, credential }: PlannedCall, now: number): SourceLimiter {
    const { organizationId } = run.caller;
    const scope = credential?.account ?? credential?.scope ?? organizationId;
    const known = byCredential.get(organizationId, scope, source.id);
    if (known !== undefined) return known;
    if (
      credential?.credentialId === null &&
      !startedLimits.start(organizationId, `${source.id} ${scope}`, periodsOf(source), now)
    )
      throw new Fault("source.rate_limited_here");
    const rates = ratesOf(source, "credential", ` ${scope}`, (limit) => leaseOf(limit, organizationId));
    const created = new SourceLimiter(rates, clock, false);
    byCredential.set(organizationId, scope, created, source.id);
    return created;
  }

  /** Rejects with the Fault of a call that is refused. */
  async function enter(
    source: RunnableSource,
    call: PlannedCall,
    { shared, perCredential }: SourceLimiters,
  ): Promise<CallPermit | null> {
    const { organizationId } = call.run.caller;
    const { deadlineAt } = call;
    const now = clock.now();
    const waitMaxMs = Math.min(PERMIT_WAIT_MS_MAX, source.timeoutMs / 10, deadlineAt - now);
    const ask: PermitRequest = { owner: organizationId, deadlineAt, waitMaxMs };
    if (!perCredential) return shared === null ? null : shared.enter(ask, now);
    const own = await limiterOfCredential(source, call, now).enter(ask, now);
    // The permit of a credential ends by itself.
    if (shared === null) return null;
    try {
      return await shared.enter(ask, clock.now());
    } catch (fault) {
      // Nothing was sent to the vendor.
      own.undo();
      throw fault;
    }
  }

  return (next) => async (source, call) => {
    const limited = source.limitedAs ?? source;
    if (limited.declaration.limits === undefined) return next(source, call);
    const limits = limitsOf(limited);
    const permit = await enter(limited, call, limits);
    if (permit !== null && limits.shared!.hasConcurrencyLimit) call.takePermit(permit);
    return next(source, call);
  };
}

function periodsOf({ declaration }: RunnableSource): number[] {
  return declaration.limits!.rate!.filter(({ per }) => per === "credential").map(({ every_ms: everyMs }) => everyMs);
}

function concurrencyOf({ id, declaration, timeoutMs }: RunnableSource, leaseOf: Leases): DeclaredLimit[] {
  const max = declaration.limits!.concurrency;
  if (max === undefined) return [];
  const lease = leaseOf({ name: `concurrency ${id}`, max, everyMs: null, useMsMax: timeoutMs }, id);
  return [{ lease, max, isRate: false }];
}

function ratesOf(
  { id, declaration }: RunnableSource,
  per: string,
  scope: string,
  leaseOf: (limit: SharedLimit) => Lease,
): DeclaredLimit[] {
  const rates = (declaration.limits!.rate ?? []).filter((rate) => rate.per === per);
  return rates.map(({ max, every_ms: everyMs }, at) => {
    const lease = leaseOf({ name: `rate ${id} ${per} ${at}${scope}`, max, everyMs, useMsMax: 0 });
    return { lease, max, isRate: true };
  });
}
