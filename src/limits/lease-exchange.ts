import type { Clock } from "../terms/time/clock.ts";
import { RoundRobinQueue } from "../terms/concurrency/round-robin-queue.ts";
import { answeredWithin } from "../terms/time/within.ts";
import type { SentBy } from "./ports.ts";

/** An answer that takes longer is ignored: its grants are not used. */
const ANSWER_MS_MAX = 1_000;
/** A bound on asks per exchange, because all its limits are locked meanwhile. */
const ASKS_MAX = 200;
/** Delay of the check of a changed limit. */
const WAKE_MS = 1_000;

/** The exchange's view of a limit. */
export interface Leased<Ask, Answer> {
  /** Owners are served round-robin, because one owner can create any number of limits. */
  readonly owner: string;
  /**
   * @param joins whether other limits are sending an ask anyway, so that this one may ask earlier than necessary
   * @returns `null` if there is nothing to ask
   */
  ask(now: number, by: SentBy, joins: boolean): Ask | null;
  /** The last ask, which returns unused units; `null`: there is nothing to return. */
  askToEnd(now: number, by: SentBy): Ask | null;
  /** @param askedAt, answeredAt by the clock of this process; the store read its own clock in between */
  answered(answer: Answer, askedAt: number, answeredAt: number): void;
  failed(now: number): void;
  /**
   * Time at which the limit may have an ask or a notification without any further event; `Infinity` if there is none.
   */
  dueAt(now: number): number;
}

export interface LeaseExchangeParts<Ask, Answer, Limit extends Leased<Ask, Answer>> {
  readonly clock: Clock;
  /** Names this process. Called when the name is needed. */
  readonly process: () => string;
  /** Frees the units of earlier starts of this process. It has to succeed before the first ask. */
  readonly recover: (process: string) => Promise<void>;
  /** @param sequence the number of the last ask */
  readonly send: (asks: readonly Ask[], sequence: number) => Promise<readonly Answer[]>;
  /** These limits have an answer, or the exchange has failed. */
  readonly onAnswered: (limits: readonly Limit[], isAnswered: boolean) => void;
  /** Time has passed, which may have changed the leases of these limits. */
  readonly onTime: (limits: Iterable<Limit>) => void;
}

type AskOf<Ask, Limit> = (limit: Limit, now: number, by: SentBy) => Ask | null;

interface Asked<Ask, Limit> {
  readonly limit: Limit;
  readonly ask: Ask;
}

/**
 * The exchange of one process with the store, for all limits of one kind:
 *
 * 1. The user of a limit calls `look` when the limit may have an ask, and `wake` when it may have one later.
 * 2. All asks are sent together, one exchange at a time. Limits with leased units join.
 * 3. Each limit receives its answer, or that there is none. Then the next exchange begins, if there are further asks.
 * 4. Otherwise the exchange is idle until the first time at which a limit may have an ask.
 */
export class LeaseExchange<Ask, Answer, Limit extends Leased<Ask, Answer>> {
  readonly #parts: LeaseExchangeParts<Ask, Answer, Limit>;
  /** Limits that may have an ask now. */
  readonly #toLook = new RoundRobinQueue<Limit>();
  /** Limits that may have an ask later. */
  readonly #live = new Set<Limit>();
  #underWay: Promise<void> | null = null;
  #isQueued = false;
  #isClosed = false;
  #isRecovered = false;
  #count = 0;
  #sequence = 0;
  #process: string | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  #cancelTimer = (): void => {};

  constructor(parts: LeaseExchangeParts<Ask, Answer, Limit>) {
    this.#parts = parts;
  }

  /** The number of the current or last exchange. */
  get count(): number {
    return this.#count;
  }

  get process(): string {
    return (this.#process ??= this.#parts.process());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  look(limit: Limit): void {
    this.#toLook.add(limit.owner, limit);
    if (this.#isQueued || this.#underWay !== null || this.#isClosed) return;
    this.#isQueued = true;
    // All calls of a tick share one exchange.
    queueMicrotask(() => {
      this.#isQueued = false;
      if (this.#underWay === null && !this.#isClosed) this.#next();
    });
  }

  wake(limit: Limit): void {
    this.#live.add(limit);
    if (this.#timerAt === Number.POSITIVE_INFINITY) this.#lookAt(this.#parts.clock.now() + WAKE_MS);
  }

  /** Waits for the exchange in progress. Afterwards only `end` and `send` send asks. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    await this.#underWay;
  }

  /** Returns unused units of these limits. Resolves to whether the store has answered. */
  end(limits: Iterable<Limit> = this.#live): Promise<boolean> {
    return this.#sendAll(limits, (limit, now, by) => limit.askToEnd(now, by));
  }

  /** Sends the current asks of these limits. Resolves to whether the store has answered. */
  send(limits: Iterable<Limit>): Promise<boolean> {
    return this.#sendAll(limits, (limit, now, by) => limit.ask(now, by, false));
  }

  async #sendAll(limits: Iterable<Limit>, askOf: AskOf<Ask, Limit>): Promise<boolean> {
    const asked = [...limits].flatMap((limit) => this.#asked(limit, askOf) ?? []);
    return asked.length === 0 || (await this.#exchange(asked));
  }

  #next(): void {
    if (this.#isClosed) return;
    const asked = this.#nextAsks();
    if (asked.length === 0) return this.#lookLater();
    this.#count += 1;
    this.#underWay = this.#exchange(asked).then(() => {
      this.#underWay = null;
      this.#next();
    });
  }

  #nextAsks(): Asked<Ask, Limit>[] {
    const asked: Asked<Ask, Limit>[] = [];
    while (asked.length < ASKS_MAX) {
      const limit = this.#toLook.next(() => true);
      if (limit === undefined) break;
      this.#live.add(limit);
      const one = this.#asked(limit, (it, now, by) => it.ask(now, by, false));
      if (one !== null) asked.push(one);
    }
    if (asked.length === 0 || this.#live.size > ASKS_MAX) return asked;
    // One exchange for many limits costs little more than for one.
    const asking = new Set(asked.map(({ limit }) => limit));
    for (const limit of this.#live) {
      const one = asking.has(limit) ? null : this.#asked(limit, (it, now, by) => it.ask(now, by, true));
      if (one !== null) asked.push(one);
    }
    return asked;
  }

  #asked(limit: Limit, askOf: AskOf<Ask, Limit>): Asked<Ask, Limit> | null {
    const ask = askOf(limit, this.#parts.clock.now(), { process: this.process, sequence: this.#sequence + 1 });
    if (ask === null) return null;
    this.#sequence += 1;
    return { limit, ask };
  }

  async #exchange(asked: readonly Asked<Ask, Limit>[]): Promise<boolean> {
    const { clock, recover, send, onAnswered } = this.#parts;
    const askedAt = clock.now();
    let answers: readonly Answer[] | null = null;
    try {
      if (!this.#isRecovered) await this.#inTime(recover(this.process));
      this.#isRecovered = true;
      const asks = asked.map(({ ask }) => ask);
      answers = await this.#inTime(send(asks, this.#sequence));
    } catch {
      // Each ask may or may not have been stored, and the next one repeats the state of this process. The store logs
      // its own failures.
    }
    const now = clock.now();
    for (const [at, { limit }] of asked.entries()) {
      if (answers === null) limit.failed(now);
      else limit.answered(answers[at]!, askedAt, now);
    }
    onAnswered(
      asked.map(({ limit }) => limit),
      answers !== null,
    );
    return answers !== null;
  }

  #inTime<Result>(promise: Promise<Result>): Promise<Result> {
    return answeredWithin(this.#parts.clock, ANSWER_MS_MAX, promise, () => new Error("the store does not answer"));
  }

  #lookLater(): void {
    const now = this.#parts.clock.now();
    let at = Number.POSITIVE_INFINITY;
    for (const limit of this.#live) {
      const dueAt = limit.dueAt(now);
      if (dueAt === Number.POSITIVE_INFINITY) this.#live.delete(limit);
      else at = Math.min(at, dueAt);
    }
    this.#lookAt(at);
  }

  #lookAt(at: number): void {
    if (this.#isClosed || at >= this.#timerAt) return;
    this.#cancelTimer();
    this.#timerAt = at;
    const { clock, onTime } = this.#parts;
    const onTimer = (): void => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      onTime(this.#live);
      for (const limit of this.#live) this.look(limit);
    };
    this.#cancelTimer = clock.after(Math.max(1, Math.ceil(at - clock.now())), onTimer, "loose");
  }
}
