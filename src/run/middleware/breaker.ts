import type { Clock } from "../../terms/time/clock.ts";
import { Fault, VENDOR_FAILED } from "../../terms/fault.ts";
import { OwnedMap } from "../../terms/collections/owned-map.ts";
import type { CallMiddleware, PlannedCall } from "../ports.ts";

const BREAKERS_MAX = 10_000;
const VENDOR_FAILURE_KINDS: ReadonlySet<string> = new Set(VENDOR_FAILED);

/** A source whose calls are refused for now, for an organization or with one of its credentials. */
export interface OpenBreaker {
  readonly source: string;
  readonly organizationId: string;
  /** How long calls have been refused. */
  readonly openForMs: number;
}

/**
 * Refuses calls to vendors that fail: by one breaker for each source and account or, for calls without a credential, for
 * each source and organization.
 */
export function withBreaker(clock: Clock): CallMiddleware & { open(): readonly OpenBreaker[] } {
  // A caller can invent inline credentials without end: the map then drops that caller's own breakers.
  const breakers = new OwnedMap<Breaker>(BREAKERS_MAX);

  const middleware: CallMiddleware = (next) => (source, call) => {
    if (!source.leavesMachine) return next(source, call);
    const { organizationId } = call.run.caller;
    const account = call.credential?.account ?? call.credential?.scope ?? "";
    const breaker = breakers.getOrCreate(organizationId, account, newBreaker, call.id);
    const era = breaker.admit(clock.now());
    if (era === null) return Promise.reject(new Fault("source.breaker_open"));
    return next(source, call).then(
      (answer) => {
        breaker.ended(era, clock.now(), false);
        return answer;
      },
      (thrown: unknown) => {
        breaker.ended(era, clock.now(), verdict(thrown, call));
        throw thrown;
      },
    );
  };
  const open = (): OpenBreaker[] => {
    const now = clock.now();
    return [...breakers.entries()].flatMap(({ owner, of, value }) => {
      const since = value.refusesSince(now);
      return since === null ? [] : [{ source: of, organizationId: owner, openForMs: now - since }];
    });
  };
  return Object.assign(middleware, { open });
}

/** Whether the vendor failed; `undefined` if the call says nothing about the vendor. */
function verdict(thrown: unknown, call: PlannedCall): boolean | undefined {
  const kind = thrown instanceof Fault ? thrown.row.kind : "adapter";
  if (VENDOR_FAILURE_KINDS.has(kind)) return true;
  return call.attempts.length > 0 ? false : undefined;
}

const newBreaker = () => new Breaker();

// ---- one breaker -----------------------------------------------------------------------------------------------------

export const BREAKER_LIMITS = {
  /** With fewer calls than this in the window, the breaker stays closed. */
  callsMin: 20,
  windowMs: 10_000,
  /** The share of failed calls that opens it. */
  failedShare: 0.5,
  openMs: 5_000,
  openMsMax: 60_000,
};

const SLOTS = 10;
const SLOT_MS = BREAKER_LIMITS.windowMs / SLOTS;

/**
 * Stops calls to a vendor that mostly fails, so that its slowness does not affect everything else. A closed breaker
 * counts failures, an open one refuses calls. After `openMs` it admits one probe, whose result closes it or keeps it open.
 * Each failed probe doubles that time, up to `openMsMax`.
 */
export class Breaker {
  readonly #calls = new Uint32Array(SLOTS);
  readonly #failures = new Uint32Array(SLOTS);
  #slot = 0;
  #openUntil: number | null = null;
  #openSince = 0;
  #openMs = BREAKER_LIMITS.openMs;
  #probing = false;
  #era = 0;

  get isOpen(): boolean {
    return this.#openUntil !== null;
  }

  /** Since when calls have been refused; `null` if the next call is admitted, possibly as a probe. */
  refusesSince(now: number): number | null {
    if (this.#openUntil === null) return null;
    return this.#probing || now < this.#openUntil ? this.#openSince : null;
  }

  /**
   * Admits a call and returns its era, to be passed to `ended`; `null` if the call is refused. Opening and closing start a
   * new era, so a call that started before is neither taken for the probe nor counted.
   */
  admit(now: number): number | null {
    if (this.#openUntil === null) return this.#era;
    if (this.#probing || now < this.#openUntil) return null;
    this.#probing = true;
    // Without a call for a whole window, none was refused.
    if (now >= this.#openUntil + BREAKER_LIMITS.windowMs) this.#openSince = now;
    return this.#era;
  }

  /** @param failed `undefined` if the call says nothing about the vendor, for instance because nothing was sent */
  ended(era: number, now: number, failed: boolean | undefined): void {
    if (era !== this.#era) return;
    if (this.#openUntil !== null) return this.#probeEnded(now, failed);
    if (failed === undefined) return;
    this.#advanceTo(now);
    const at = this.#slot % SLOTS;
    this.#calls[at]! += 1;
    if (failed) this.#failures[at]! += 1;
    const calls = sum(this.#calls);
    if (calls >= BREAKER_LIMITS.callsMin && sum(this.#failures) >= calls * BREAKER_LIMITS.failedShare) this.#open(now);
  }

  #probeEnded(now: number, failed: boolean | undefined): void {
    this.#probing = false;
    if (failed === undefined) return;
    if (failed) {
      this.#openMs = Math.min(this.#openMs * 2, BREAKER_LIMITS.openMsMax);
      this.#openUntil = now + this.#openMs;
    } else {
      this.#openUntil = null;
      this.#era += 1;
      this.#openMs = BREAKER_LIMITS.openMs;
      this.#calls.fill(0);
      this.#failures.fill(0);
    }
  }

  #open(now: number): void {
    this.#openUntil = now + this.#openMs;
    this.#openSince = now;
    this.#era += 1;
  }

  /** Empties the slots that are no longer in the window. */
  #advanceTo(now: number): void {
    const slot = Math.floor(now / SLOT_MS);
    const steps = Math.min(slot - this.#slot, SLOTS);
    for (let step = 1; step <= steps; step += 1) {
      const at = (this.#slot + step) % SLOTS;
      this.#calls[at] = 0;
      this.#failures[at] = 0;
    }
    // After a long pause all slots were emptied above, so the count can start again anywhere.
    this.#slot = slot;
  }
}

function sum(counts: Uint32Array): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
