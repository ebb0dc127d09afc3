import type { Clock } from "../../terms/clock.ts";
import { Fault } from "../../terms/fault.ts";
import { answeredWithin } from "../../terms/within.ts";
import { type HeldBudget, NOBODY_WAITS, type Waiting } from "./held-budget.ts";
import { endLeases, keepLeases } from "./keep-leases.ts";
import { budgetFault, type Part, takeAll } from "./reservation.ts";
import type { BudgetAnswer, BudgetAsk, BudgetStore, LeftBehind, SpentIn, UseNotes } from "./ports.ts";

/** An answer that takes longer does not count: whatever it grants is used by nobody. */
const ANSWER_MS_MAX = 1_000;
/** Keeps one exchange short: all its budgets are locked meanwhile. */
const ASKS_MAX = 200;
/** The store hears this often what has been used. */
const TELL_EVERY_MS = 1_000;
const WAITING_MAX = 16_384;

export interface BudgetExchangeParts {
  readonly store: BudgetStore;
  readonly notes: UseNotes;
  readonly clock: Clock;
  readonly process: () => string;
  readonly start: string;
  /** What earlier starts of this process have left. */
  readonly left: readonly LeftBehind[];
  readonly spentIn?: SpentIn;
  /** A budget has an answer. */
  readonly heard: (held: HeldBudget) => void;
}

/** A request that waits for the store. */
interface Waiter {
  readonly parts: readonly Part[];
  /** The number of the first exchange that asks for it. */
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (fault: Fault) => void;
}

interface Asked {
  readonly held: HeldBudget;
  readonly ask: BudgetAsk;
  readonly waiting: Waiting;
}

/**
 * The exchange of one process with the store: one at a time, for all budgets that have something to ask. Requests for
 * which nothing is left here wait for the next one, and are refused if it does not help.
 */
export class BudgetExchange {
  readonly #parts: BudgetExchangeParts;
  readonly #toLook = new Set<HeldBudget>();
  /** Those that may have something to tell with time. */
  readonly #live = new Set<HeldBudget>();
  readonly #waiters = new Set<Waiter>();
  #underWay: Promise<void> | null = null;
  #isQueued = false;
  #isClosed = false;
  #isRecovered = false;
  /** Of the exchange that is under way, or was last. */
  #number = 0;
  #turn = 0;
  #process: string | null = null;
  #cancelTimer: (() => void) | null = null;

  constructor(parts: BudgetExchangeParts) {
    this.#parts = parts;
  }

  /** It may have something to ask. */
  look(held: HeldBudget): void {
    this.#toLook.add(held);
    if (this.#isQueued || this.#underWay !== null || this.#isClosed) return;
    this.#isQueued = true;
    // All requests of a turn ask together.
    queueMicrotask(() => {
      this.#isQueued = false;
      this.#next();
    });
  }

  /** Resolves when the parts have been taken. Rejects with a fault if there is no room for them, or nobody says. */
  wait(parts: readonly Part[], until: number): Promise<void> {
    if (this.#isClosed || this.#waiters.size >= WAITING_MAX) throw new Fault("source.budget_unknown");
    return new Promise((resolve, reject) => {
      const { clock } = this.#parts;
      const end = (): void => {
        this.#waiters.delete(waiter);
        cancel();
      };
      const waiter: Waiter = {
        parts,
        since: this.#number + 1,
        resolve: () => {
          end();
          resolve();
        },
        reject: (fault) => {
          end();
          reject(fault);
        },
      };
      const cancel = clock.after(Math.max(0, until - clock.now()), () => {
        waiter.reject(new Fault("source.budget_unknown"));
      });
      this.#waiters.add(waiter);
      for (const { held } of parts) this.look(held);
    });
  }

  /** Something has changed that the store should hear of, in time. */
  wake(held: HeldBudget): void {
    this.#live.add(held);
    this.#lookLater();
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    this.#cancelTimer ??= this.#parts.clock.after(
      TELL_EVERY_MS,
      () => {
        this.#cancelTimer = null;
        this.#keepNotes();
        const now = this.#parts.clock.now();
        for (const one of this.#live) {
          if (one.isLive(now)) this.look(one);
          else this.#live.delete(one);
        }
        if (this.#live.size > 0) this.#lookLater();
      },
      "loose",
    );
  }

  /** Those of requests that have ended since. */
  #keepNotes(): void {
    try {
      this.#parts.notes.keep();
    } catch {
      // The next request needs them written, and is refused if they cannot be.
    }
  }

  async close(all: readonly HeldBudget[]): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#underWay;
    // What was charged and is in no lease needs one first.
    const owing = new Set(all.filter(({ owes }) => owes));
    for (let asked = this.#asksOf(owing); asked.length > 0; asked = this.#asksOf(owing)) await this.#exchange(asked);
    // Of a lease that another start had ended, more may have been used than it knew: that is told once this is known.
    const isTold = (await this.#end(all)) && (await this.#end(all.filter(({ isEnding }) => isEnding)));
    if (isTold) this.#parts.notes.end();
  }

  #end(all: readonly HeldBudget[]): Promise<boolean> {
    const asked = all.flatMap((held): Asked[] => {
      const ask = held.askToEnd(this.#parts.clock.now(), { process: this.#name(), turn: (this.#turn += 1) });
      return ask === null ? [] : [{ held, ask, waiting: NOBODY_WAITS }];
    });
    return asked.length === 0 ? Promise.resolve(true) : this.#exchange(asked);
  }

  #name(): string {
    return (this.#process ??= this.#parts.process());
  }

  #next(): void {
    if (this.#underWay !== null || this.#isClosed) return;
    this.#number += 1;
    const asked = this.#asksOf(this.#toLook);
    if (asked.length === 0) return void (this.#number -= 1);
    this.#underWay = this.#exchange(asked).then(() => {
      this.#underWay = null;
      this.#next();
    });
  }

  /** Those that are asked for are looked at no more. */
  #asksOf(toLook: Set<HeldBudget>): Asked[] {
    const { clock } = this.#parts;
    const asked: Asked[] = [];
    const waitingFor = this.#waiting();
    for (const held of toLook) {
      if (asked.length === ASKS_MAX) break;
      toLook.delete(held);
      const waiting = waitingFor.get(held) ?? NOBODY_WAITS;
      const ask = held.ask(clock.now(), { process: this.#name(), turn: this.#turn + 1 }, waiting);
      if (ask === null) continue;
      this.#turn += 1;
      asked.push({ held, ask, waiting });
    }
    return asked;
  }

  #waiting(): Map<HeldBudget, Waiting> {
    const all = new Map<HeldBudget, Waiting>();
    for (const { held, units } of [...this.#waiters].flatMap(({ parts }) => parts)) {
      if (units === 0n) continue;
      const before = all.get(held) ?? { units: 0n, smallest: units };
      all.set(held, { units: before.units + units, smallest: units < before.smallest ? units : before.smallest });
    }
    return all;
  }

  /** Returns whether the store has answered. */
  async #exchange(asked: readonly Asked[]): Promise<boolean> {
    const { clock, store, heard, spentIn } = this.#parts;
    const askedAt = clock.now();
    let answers: readonly BudgetAnswer[] | null = null;
    try {
      await this.#recover();
      this.#parts.notes.keepTurn(this.#turn);
      const asks = asked.map(({ ask }) => ask);
      answers = await answeredWithin(
        clock,
        ANSWER_MS_MAX,
        store.exchange(asks, keepLeases, spentIn),
        () => new Error("no answer in time"),
      );
    } catch {
      // Each of them may have been kept or not. The next ask says what is held here.
    }
    const now = clock.now();
    for (const [at, { held, waiting }] of asked.entries()) {
      if (answers === null) held.failed(now);
      else held.answered(answers[at]!, askedAt, now, waiting);
      heard(held);
      this.wake(held);
      // After a failure it is asked again later.
      if (held.isEnding && answers !== null) this.look(held);
    }
    this.#serve(now, new Set(asked.map(({ held }) => held)), answers !== null);
    // What was charged and is in a lease only now.
    this.#keepNotes();
    return answers !== null;
  }

  /** Before anything is leased, what an earlier start has left is freed, and this start begins its notes. */
  async #recover(): Promise<void> {
    const { clock, notes, store, start, left } = this.#parts;
    if (this.#isRecovered) return;
    notes.begin();
    const recovered = store.recover({ process: this.#name(), start, left }, endLeases);
    await answeredWithin(clock, ANSWER_MS_MAX, recovered, () => new Error("no answer in time"));
    notes.recovered();
    this.#isRecovered = true;
  }

  /** Requests get what they wait for, in their order, or are refused if they were asked for in vain. */
  #serve(now: number, asked: ReadonlySet<HeldBudget>, isAnswered: boolean): void {
    for (const waiter of this.#waiters) {
      const lacking = takeAll(waiter.parts, now);
      if (lacking === null) waiter.resolve();
      else if (waiter.since > this.#number || !asked.has(lacking)) this.look(lacking);
      else if (!isAnswered) waiter.reject(new Fault("source.budget_unknown"));
      // The answer was about a period that has ended since.
      else if (lacking.isOver(now)) this.look(lacking);
      else waiter.reject(budgetFault(lacking));
    }
  }
}
