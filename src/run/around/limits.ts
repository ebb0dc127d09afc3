import type { Lease, Leases, SharedLimit } from "../../leases/ports.ts";
import type { SourceDeclaration } from "../../sdk/source.ts";
import type { Clock } from "../../terms/clock.ts";
import { OwnedMap } from "../../terms/owned-map.ts";
import type { Answer, Around, PlannedCall, RunnableSource, RunSource } from "../ports.ts";
import { SourceTurns, type Turn, type TurnAsk, type TurnLimit } from "../source-turns.ts";

const CREDENTIALS_MAX = 10_000;
/** How long a call may wait for its turn; a tenth of its source's timeout if that is less. */
export const TURN_WAIT_MS_MAX = 1_000;

/** The limits of one source: those that all its calls share, and whether there are others per credential. */
interface Limits {
  readonly shared: SourceTurns | null;
  readonly perCredential: boolean;
}

/**
 * The limits that a source declares for itself, which hold for all processes together. A call over a limit per
 * credential fails at once; for limits that all calls share, it waits briefly for its turn. A refused call is never
 * billed.
 */
export function withSourceLimits(leaseOf: Leases, clock: Clock): Around {
  const bySource = new WeakMap<SourceDeclaration, Limits>();
  const byCredential = new OwnedMap<SourceTurns>(CREDENTIALS_MAX);

  function limitsOf(source: RunnableSource): Limits {
    let limits = bySource.get(source.declaration);
    if (limits === undefined) {
      const shared = [
        ...concurrencyOf(source, leaseOf),
        ...ratesOf(source, "source", "", (limit) => leaseOf(limit, source.id)),
      ];
      limits = {
        shared: shared.length === 0 ? null : new SourceTurns(shared, clock),
        perCredential: source.declaration.limits!.rate?.some(({ per }) => per === "credential") ?? false,
      };
      bySource.set(source.declaration, limits);
    }
    return limits;
  }

  function turnsOfCredential(source: RunnableSource, call: PlannedCall): SourceTurns {
    const { organizationId } = call.run.caller;
    const scope = call.credential?.scope ?? organizationId;
    return byCredential.getOrMake(organizationId, `${source.id}|${scope}`, () => {
      return new SourceTurns(
        ratesOf(source, "credential", ` ${scope}`, (limit) => leaseOf(limit, organizationId)),
        clock,
      );
    });
  }

  async function inTurn(source: RunnableSource, call: PlannedCall, next: RunSource): Promise<Answer> {
    const entered = enter(source, call);
    const turn = entered instanceof Promise ? await entered : entered;
    try {
      return await next(source, call);
    } finally {
      turn?.leave();
    }
  }

  /** A promise only if the call has to wait, which few do. @throws Fault, or rejects with it */
  function enter(source: RunnableSource, call: PlannedCall): Turn | null | Promise<Turn | null> {
    const { shared, perCredential } = limitsOf(source);
    const ask: TurnAsk = {
      owner: call.run.caller.organizationId,
      deadlineAt: call.deadlineAt,
      waitMaxMs: Math.min(TURN_WAIT_MS_MAX, source.timeoutMs / 10, call.deadlineAt - clock.now()),
      waitsForPeriod: true,
    };
    if (!perCredential) return shared === null ? null : shared.enter(ask);
    const own = turnsOfCredential(source, call).enter({ ...ask, waitsForPeriod: false });
    if (own instanceof Promise) return own.then((turn) => enterShared(shared, ask, turn));
    return enterShared(shared, ask, own);
  }

  function enterShared(shared: SourceTurns | null, ask: TurnAsk, own: Turn): Turn | Promise<Turn> {
    if (shared === null) return own;
    // Nothing was sent to the vendor.
    const refuse = (fault: unknown): never => {
      own.undo();
      throw fault;
    };
    try {
      const turn = shared.enter(ask);
      return turn instanceof Promise ? turn.catch(refuse) : turn;
    } catch (fault) {
      return refuse(fault);
    }
  }

  return (next) => (source, call) =>
    source.declaration.limits === undefined ? next(source, call) : inTurn(source, call, next);
}

function concurrencyOf({ id, declaration, timeoutMs }: RunnableSource, leaseOf: Leases): TurnLimit[] {
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
): TurnLimit[] {
  const rates = (declaration.limits!.rate ?? []).filter((rate) => rate.per === per);
  return rates.map(({ max, every_ms: everyMs }, at) => {
    const lease = leaseOf({ name: `rate ${id} ${per} ${at}${scope}`, max, everyMs, useMsMax: 0 });
    return { lease, max, isRate: true };
  });
}
