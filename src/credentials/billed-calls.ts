import type { CredentialPrices, RunReport } from "../run/ports.ts";
import { monthContaining, type TimeSpan } from "../terms/time/calendar.ts";
import type { Clock } from "../terms/time/clock.ts";
import { hasSteps, type PriceTerm, termAt } from "../terms/money/price.ts";
import type { CallCounts } from "./ports.ts";

/** The longest time until calls are added to the shared count. */
const ADD_EVERY_MS = 1_000;

export interface BilledCallsParts {
  readonly counts: CallCounts;
  readonly clock: Clock;
}

/** The calendar month of one credential. */
interface Month extends TimeSpan {
  readonly credentialId: string;
  readonly timeZone: string;
  /** The last count from the store. */
  shared: number;
  /** Calls billed here that may not be in the store yet. */
  own: number;
  /** The addition in progress. Never rejects. */
  adding: Promise<void> | null;
}

/**
 * Counts the billed calls of credentials whose prices have volume steps, by calendar month. The count is in memory, so
 * no request waits for it. All replicas add to one count in the store and read it when they add. The count lags by
 * calls in progress and by about one second of other replicas' calls, so a few calls may still get the old price when a
 * step begins. Credentials without steps are not counted.
 */
export class BilledCalls {
  readonly #counts: CallCounts;
  readonly #clock: Clock;
  readonly #months = new Map<string, Month>();
  /** Past months with calls that are not in the store yet. */
  readonly #ended = new Set<Month>();
  #cancel: (() => void) | null = null;
  #isClosed = false;

  constructor({ counts, clock }: BilledCallsParts) {
    this.#counts = counts;
    this.#clock = clock;
  }

  /** The prices of a credential. Resolves when the count for them is known, or cannot be read now. */
  async open(credentialId: string, terms: readonly PriceTerm[]): Promise<CredentialPrices> {
    if (!hasSteps(terms)) return { at: (wallAt) => termAt(terms, wallAt, 0) };
    const prices: CredentialPrices = {
      at: (wallAt) => {
        const basic = termAt(terms, wallAt, 0);
        if (basic === null) return null;
        const { shared, own } = this.#monthOf(credentialId, basic.timeZone, wallAt);
        return termAt(terms, wallAt, shared + own);
      },
    };
    if (prices.at(this.#clock.wall()) !== null) await this.#add(this.#months.get(credentialId)!);
    return prices;
  }

  runEnded({ simulated, calls }: Pick<RunReport, "simulated" | "calls">): void {
    if (simulated || this.#months.size === 0) return;
    for (const { credentialId, attempts } of calls) {
      const month = credentialId === null ? undefined : this.#months.get(credentialId);
      if (month === undefined) continue;
      for (const { charged, sentWallAt } of attempts)
        if (charged === "yes" && sentWallAt >= month.from && sentWallAt < month.to) month.own += 1;
      this.#addLater();
    }
  }

  /** Adds the remaining calls to the store. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    // Calls billed during an addition in progress need another addition.
    for (const { adding } of this.#all()) await adding;
    await this.#addAll();
  }

  #monthOf(credentialId: string, timeZone: string, wallAt: number): Month {
    const known = this.#months.get(credentialId);
    if (known !== undefined && known.timeZone === timeZone && wallAt >= known.from && wallAt < known.to) return known;
    const span = monthContaining(wallAt, timeZone);
    const month: Month = { ...span, credentialId, timeZone, shared: 0, own: 0, adding: null };
    this.#months.set(credentialId, month);
    if (known !== undefined) {
      if (known.own > 0) {
        this.#ended.add(known);
        void this.#add(known);
      }
      // Reads the calls that other replicas have billed in the new month.
      void this.#add(month);
    }
    return month;
  }

  #all(): Month[] {
    return [...this.#months.values(), ...this.#ended];
  }

  #addLater(): void {
    if (this.#isClosed) return;
    this.#cancel ??= this.#clock.after(
      ADD_EVERY_MS,
      () => {
        this.#cancel = null;
        void this.#addAll();
      },
      "loose",
    );
  }

  async #addAll(): Promise<void> {
    for (const month of this.#all()) if (month.own > 0) await this.#add(month);
  }

  /** Joins the addition in progress, or starts one. */
  #add(month: Month): Promise<void> {
    return (month.adding ??= this.#addOnce(month).then((isAdded) => {
      month.adding = null;
      if (month.own === 0) this.#ended.delete(month);
      else if (isAdded && this.#ended.has(month)) void this.#add(month);
      else this.#addLater();
    }));
  }

  /** Returns whether the store accepted the calls. If not, they are added with the next ones. */
  async #addOnce(month: Month): Promise<boolean> {
    const { own } = month;
    try {
      month.shared = await this.#counts.addCalls(month.credentialId, month.from, own);
      month.own -= own;
      return true;
    } catch {
      return false;
    }
  }
}
