import { BEGUN_MAX, BegunLimits } from "./begun-limits.ts";
import type { Lease, Leases, SharedLimit } from "./ports.ts";
import type { SourceDeclaration } from "../../sdk/source.ts";
import type { Clock } from "../../terms/clock.ts";
import { Fault } from "../../terms/fault.ts";
import { OwnedMap } from "../../terms/owned-map.ts";
import type { Answer, Around, PlannedCall, RunnableSource, RunSource } from "../ports.ts";
import { SourceTurns, type Turn, type TurnAsk, type TurnLimit } from "../source-turns.ts";

const CREDENTIALS_MAX = 10_000;
/** How long a call may wait for its turn; a tenth of its source's timeout if that is less. */
const TURN_WAIT_MS_MAX = 1_000;

/** The limits of one source: those that all its calls share, and whether there are others per credential. */
interface Limits {
  readonly shared: SourceTurns | null;
  readonly perCredential: boolean;
}

/**
 * The limits that a source declares for itself, which hold for all processes together. A call over a limit per
 * credential fails at once; for limits that all calls share, it waits briefly for its turn. A refused call is never
 * billed. An organization that makes up credentials begins a limited number of limits in each period.
 */
export function withSourceLimits(leaseOf: Leases, clock: Clock, begunMax = BEGUN_MAX): Around {
  const bySource = new WeakMap<SourceDeclaration, Limits>();
  const byCredential = new OwnedMap<SourceTurns>(CREDENTIALS_MAX);
  const begun = new BegunLimits(begunMax);

  function limitsOf(source: RunnableSource): Limits {
    let limits = bySource.get(source.declaration);
    if (limits === undefined) {
      const shared = [
        ...concurrencyOf(source, leaseOf),
        ...ratesOf(source, "source", "", (limit) => leaseOf(limit, source.id)),
      ];
      limits = {
        shared: shared.length === 0 ? null : new SourceTurns(shared, clock, true),
        perCredential: source.declaration.limits!.rate?.some(({ per }) => per === "credential") ?? false,
      };
      bySource.set(source.declaration, limits);
    }
    return limits;
  }

  /** @throws Fault */
  function turnsOfCredential(source: RunnableSource, { run, credential }: PlannedCall, now: number): SourceTurns {
    const { organizationId } = run.caller;
    const scope = credential?.account ?? credential?.scope ?? organizationId;
    const known = byCredential.get(organizationId, scope, source.id);
    if (known !== undefined) return known;
    if (
      credential?.credentialId === null &&
      !begun.begin(organizationId, `${source.id} ${scope}`, periodsOf(source), now)
    )
      throw new Fault("source.rate_limited_here");
    const rates = ratesOf(source, "credential", ` ${scope}`, (limit) => leaseOf(limit, organizationId));
    const made = new SourceTurns(rates, clock, false);
    byCredential.set(organizationId, scope, made, source.id);
    return made;
  }

  /** A promise only if the call has to wait, which few do. @throws Fault, or rejects with it */
  function enter(source: RunnableSource, call: PlannedCall, { shared, perCredential }: Limits): Entered {
    const { organizationId } = call.run.caller;
    const { deadlineAt } = call;
    const now = clock.now();
    const waitMaxMs = Math.min(TURN_WAIT_MS_MAX, source.timeoutMs / 10, deadlineAt - now);
    const ask: TurnAsk = { owner: organizationId, deadlineAt, waitMaxMs };
    if (!perCredential) return shared === null ? null : shared.enter(ask, now);
    const own = turnsOfCredential(source, call, now).enter(ask, now);
    if (own instanceof Promise) return own.then((turn) => enterShared(shared, ask, turn, clock.now()));
    return enterShared(shared, ask, own, now);
  }

  /** @returns the turn to leave at the end of the call: that of the credential ends by itself */
  function enterShared(shared: SourceTurns | null, ask: TurnAsk, own: Turn, now: number): Entered {
    if (shared === null) return null;
    // Nothing was sent to the vendor.
    const refuse = (fault: unknown): never => {
      own.undo();
      throw fault;
    };
    try {
      const turn = shared.enter(ask, now);
      return turn instanceof Promise ? turn.catch(refuse) : turn;
    } catch (fault) {
      return refuse(fault);
    }
  }

  return (next) => (source, call) => {
    if (source.declaration.limits === undefined) return next(source, call);
    const limits = limitsOf(source);
    let entered: Entered;
    try {
      entered = enter(source, call, limits);
    } catch (fault) {
      return Promise.reject(fault);
    }
    if (entered instanceof Promise) return entered.then((turn) => inTurn(turn, source, call, next));
    return inTurn(limits.shared?.areLeft === true ? entered : null, source, call, next);
  };
}

type Entered = Turn | null | Promise<Turn | null>;

function inTurn(turn: Turn | null, source: RunnableSource, call: PlannedCall, next: RunSource): Promise<Answer> {
  if (turn !== null) call.takeTurn(turn);
  return next(source, call);
}

function periodsOf({ declaration }: RunnableSource): number[] {
  return declaration.limits!.rate!.filter(({ per }) => per === "credential").map(({ every_ms: everyMs }) => everyMs);
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
