import type { Leases } from "../run/around/ports.ts";
import type { Clock } from "../terms/clock.ts";
import { TurnQueue } from "../terms/turn-queue.ts";
import { answeredWithin } from "../terms/within.ts";
import { grantMore } from "./grant.ts";
import { HeldLease } from "./lease.ts";
import type { LeaseAsk, LeaseAnswer, LeaseStore } from "./ports.ts";

/** An answer that takes longer does not count: whatever it grants is used by nobody. */
const ANSWER_MS_MAX = 1_000;
/** Keeps one exchange short: all its limits are locked meanwhile. */
const ASKS_MAX = 200;

export interface LeasesParts {
  readonly store: LeaseStore;
  readonly clock: Clock;
  /** Names this process, also after it has been restarted on the same data directory. Asked when it is needed. */
  readonly process: () => string;
  /** Names this start of it: later starts have greater names. */
  readonly start: string;
}

export interface OpenLeases {
  readonly leaseOf: Leases;
  /** Gives back what is not in use. Waits for the store, but not for long. */
  close(): Promise<void>;
}

interface Asked {
  readonly lease: HeldLease;
  readonly ask: LeaseAsk;
}

/**
 * The leases of this process, and its exchange with the store: one at a time, for all leases that have something to
 * ask. Nothing is asked while there is nothing to ask.
 */
export function openLeases({ store, clock, process, start }: LeasesParts): OpenLeases {
  /** Those that may have something to ask now. Owners take turns, because they can invent limits without end. */
  const toLook = new TurnQueue<HeldLease>();
  /** Those that may have something to ask with time. */
  const live = new Set<HeldLease>();
  let underWay: Promise<void> | null = null;
  let isQueued = false;
  let closed = false;
  let freed = false;
  let made = 0;
  let cancelTimer: (() => void) | null = null;
  let timerAt = Number.POSITIVE_INFINITY;
  let known: string | null = null;

  const name = (): string => (known ??= process());

  function look(lease: HeldLease): void {
    toLook.add(lease.owner, lease);
    if (isQueued || underWay !== null || closed) return;
    isQueued = true;
    // All calls of a turn ask together.
    queueMicrotask(() => {
      isQueued = false;
      if (underWay === null && !closed) exchangeAll();
    });
  }

  function exchangeAll(): void {
    const asked = nextAsks();
    if (asked.length === 0) return wakeLater();
    underWay = exchange(asked).then(() => {
      underWay = null;
      exchangeAll();
    });
  }

  function nextAsks(): Asked[] {
    const asked: Asked[] = [];
    if (closed) return asked;
    while (asked.length < ASKS_MAX) {
      const lease = toLook.next(() => true);
      if (lease === undefined) break;
      live.add(lease);
      const ask = lease.ask(clock.now());
      if (ask !== null) asked.push({ lease, ask });
    }
    return asked.length === 0 ? asked : [...asked, ...joining(asked)];
  }

  /** One exchange for many leases costs little more than for one. */
  function joining(asked: readonly Asked[]): Asked[] {
    const asking = new Set(asked.map(({ lease }) => lease));
    const joined: Asked[] = [];
    for (const lease of live.size > ASKS_MAX ? [] : live) {
      const ask = asking.has(lease) ? null : lease.ask(clock.now(), true);
      if (ask !== null) joined.push({ lease, ask });
    }
    return joined;
  }

  async function exchange(asked: readonly Asked[]): Promise<void> {
    const askedAt = clock.now();
    let answers: readonly LeaseAnswer[] | null = null;
    try {
      answers = await answeredWithin(clock, ANSWER_MS_MAX, ask(asked), () => new Error("the store does not answer"));
    } catch {
      // Each lease knows that it failed; the store itself says why.
    }
    const now = clock.now();
    for (const [at, { lease }] of asked.entries()) {
      if (answers === null) lease.failed(now);
      else lease.answered(answers[at]!, askedAt, now);
    }
    for (const { lease } of asked) lease.tellNews();
  }

  async function ask(asked: readonly Asked[]): Promise<readonly LeaseAnswer[]> {
    if (!freed) await store.freeUnits(name(), start);
    freed = true;
    return store.exchange(
      asked.map((one) => one.ask),
      grantMore,
    );
  }

  function wakeLater(): void {
    if (closed) return;
    const now = clock.now();
    let at = Number.POSITIVE_INFINITY;
    for (const lease of live) {
      const dueAt = lease.dueAt(now);
      if (dueAt === Number.POSITIVE_INFINITY) live.delete(lease);
      else at = Math.min(at, dueAt);
    }
    if (at >= timerAt) return;
    cancelTimer?.();
    timerAt = at;
    cancelTimer = clock.after(Math.max(1, Math.ceil(at - now)), wake, "loose");
  }

  function wake(): void {
    timerAt = Number.POSITIVE_INFINITY;
    cancelTimer = null;
    for (const lease of live) {
      lease.tellNews();
      look(lease);
    }
  }

  return {
    leaseOf: (limit, owner) => {
      made += 1;
      return new HeldLease(limit, { lease: `${start}/${made}`, process: name(), owner }, look);
    },
    async close() {
      closed = true;
      cancelTimer?.();
      await underWay;
      const asked = [...live].flatMap((lease) => {
        const last = lease.askToEnd(clock.now());
        return last === null ? [] : [{ lease, ask: last }];
      });
      if (asked.length > 0) await exchange(asked);
    },
  };
}
