import type { Reservation } from "../../run/middleware/ports.ts";
import { limitText, scopeText, unitsOf, usedBy } from "../../terms/money/budget.ts";
import { Fault, type Charged } from "../../terms/fault.ts";
import type { Micros } from "../../terms/money/money.ts";
import type { Price } from "../../terms/money/price.ts";
import type { Granted, Logged } from "../leased-amount.ts";
import type { BudgetLimit } from "./budget-limit.ts";
import type { LoggedRequest, UsageLog } from "./ports.ts";

/** A request's reservation in one budget. */
export class Part {
  readonly limit: BudgetLimit;
  units: Micros;
  /** The lease of the taken units; `null`: no units are taken. */
  granted: Granted | null = null;
  /** Logged units of the request, and its log entry. */
  logged: Micros = 0n;
  request: LoggedRequest | null = null;

  constructor(limit: BudgetLimit, price: Price | null) {
    this.limit = limit;
    this.units = unitsOf(limit.budget, price);
  }

  get isCounted(): boolean {
    return this.units > 0n && !this.limit.isRemoved;
  }
}

/** Takes a request's units from all its budgets, or from none. Returns the first budget without capacity, or `null`. */
export function takeAll(parts: readonly Part[], now: number): BudgetLimit | null {
  for (const { isCounted, limit, units } of parts) if (isCounted && !limit.fits(now, units)) return limit;
  for (const part of parts) if (part.isCounted) part.granted = part.limit.take(now, part.units);
  return null;
}

/** The fault for a budget without capacity for a request, with all details that identify the budget. */
export function budgetFault({ budget, granted }: BudgetLimit): Fault {
  return new Fault("source.budget_used", {
    budget: budget.id,
    scope: scopeText(budget),
    limit: limitText(budget),
    until: granted === null ? `the end of the ${budget.per}` : untilText(granted.windowEnd),
  });
}

function untilText(wallAt: number): string {
  return new Date(wallAt).toISOString().replace(":00.000Z", "Z").replace("T", " ").replace("Z", " UTC");
}

export interface ReservationNeeds {
  readonly log: UsageLog;
  readonly now: () => number;
  /** The use of a budget has changed. */
  readonly onChange: (limit: BudgetLimit) => void;
}

/** The reservation of one request in its budgets. It belongs to the period in which it was made. */
export class LeasedReservation implements Reservation {
  readonly #parts: readonly Part[];
  readonly #needs: ReservationNeeds;
  #isOver = false;

  constructor(parts: readonly Part[], needs: ReservationNeeds) {
    this.#parts = parts;
    this.#needs = needs;
  }

  commit(transactionId: string, request: string, price: Price | null): void {
    for (const part of this.#parts) {
      if (part.units === unitsOf(part.limit.budget, price)) continue;
      this.#takeAnew(price);
      break;
    }
    for (const part of this.#parts) {
      const { granted, request: before, units } = part;
      if (granted === null || (before?.request === request && part.logged === units)) continue;
      const logged = this.#log(part);
      if (logged !== null) {
        if (before !== null) logged.log.end(before, logged.used);
        part.request = logged.log.begin(transactionId, request, units, logged.used);
      }
      this.#needs.onChange(part.limit);
    }
  }

  persist(): void {
    try {
      this.#needs.log.keep();
    } catch (cause) {
      throw new Fault("source.unrecorded", {}, { cause });
    }
  }

  cancel(): void {
    if (this.#isOver) return;
    const isLogged = this.#parts.some(({ request }) => request !== null);
    this.#end("no", null);
    // The request is in no journal, so only the log can show its end.
    if (isLogged) this.#keepIfPossible();
  }

  release(): void {
    if (this.#isOver) return;
    for (const part of this.#parts) {
      if (part.granted === null || part.units === 0n) continue;
      part.limit.correct(part.granted, -part.units);
      part.units = 0n;
      this.#needs.onChange(part.limit);
    }
  }

  settle(charged: Charged, price: Price | null): void {
    if (this.#isOver) return;
    // Otherwise no write is needed: recovery takes the result of an open request from the journal.
    if (this.#end(charged, price)) this.#keepIfPossible();
  }

  /** Returns whether the request used units, and not as many as logged. */
  #end(charged: Charged, price: Price | null): boolean {
    this.#isOver = true;
    let isNews = false;
    for (const part of this.#parts) {
      const units = usedBy(part.limit.budget, charged, price);
      // A price that became known only with the reply is counted, even without a reservation.
      if (part.granted === null && units === 0n) continue;
      const isMore = units !== 0n && units !== part.logged;
      this.#settle(part, units, isMore);
      this.#needs.onChange(part.limit);
      isNews ||= isMore;
    }
    return isNews;
  }

  #settle(part: Part, units: Micros, isMore: boolean): void {
    const { limit, granted } = part;
    if (granted === null) return limit.charge(this.#needs.now(), units);
    if (limit.granted !== granted && units > part.units) {
      // The lease has ended with the reserved units. Charges beyond them are counted under the next lease.
      if (!limit.isOfPast(granted)) limit.charge(this.#needs.now(), units - part.units);
    } else if (units !== part.units) {
      limit.correct(granted, units - part.units);
      part.units = units;
    }
    if (part.request !== null || isMore) this.#logEnd(part);
  }

  #keepIfPossible(): void {
    try {
      this.#needs.log.keep();
    } catch {
      // Until the log can be written, it has the old use: if the process is killed now, more counts as used.
    }
  }

  /** Reserves again, because the price has changed since. @throws Fault if there is no capacity for the new price */
  #takeAnew(price: Price | null): void {
    for (const part of this.#parts) {
      if (part.granted !== null) {
        part.limit.correct(part.granted, -part.units);
        part.units = 0n;
        if (part.request !== null) this.#logEnd(part);
      }
      [part.granted, part.logged, part.units] = [null, 0n, unitsOf(part.limit.budget, price)];
    }
    const now = this.#needs.now();
    const lacking = takeAll(this.#parts, now);
    if (lacking === null) return;
    // The capacity of the new period is not known here, and a request that is about to be sent cannot wait.
    throw lacking.isOver(now) ? new Fault("source.budget_unknown") : budgetFault(lacking);
  }

  /** Logs that the request is settled, or was not sent. */
  #logEnd(part: Part): void {
    const { request } = part;
    const logged = this.#log(part);
    logged?.log.end(request, logged.used);
  }

  /** Marks the part's taken units as logged. @returns the log entry to write; `null`: none */
  #log(part: Part): Logged | null {
    const logged = part.limit.logOf(part.granted!);
    if (logged !== null) logged.used += part.units - part.logged;
    [part.logged, part.request] = [part.units, null];
    return logged;
  }
}
