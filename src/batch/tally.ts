import { type Micros, readAmount, times } from "../terms/money/money.ts";
import { addAmount, type Amounts } from "./estimate.ts";
import { isOpen } from "./read-answer.ts";
import type { BatchRecord } from "./record.ts";

/** Outcomes of one source, or of the function. */
export interface TargetTally {
  readonly matched: number;
  readonly unmatched: number;
  readonly failed: number;
  /** Of the failed ones: those that were not called, and are asked again. */
  readonly open: number;
  /** Calls that were or may have been charged, by the plan. */
  readonly charged: number;
}

const NONE: TargetTally = { matched: 0, unmatched: 0, failed: 0, open: 0, charged: 0 };

function oneIf(isCounted: boolean): 0 | 1 {
  return isCounted ? 1 : 0;
}

/** Counts the records of a batch, each row once. */
export class BatchTally {
  readonly #targets = new Map<string, TargetTally>();
  readonly #costs = new Map<string, Micros>();
  rows = 0;

  add(record: BatchRecord): void {
    this.#count(record, 1);
  }

  /** Takes out a record that another one has replaced. */
  remove(record: BatchRecord): void {
    this.#count(record, -1);
  }

  of(id: string): TargetTally {
    return this.#targets.get(id) ?? NONE;
  }

  /** The planned prices of what was or may have been charged. */
  get costs(): Amounts {
    return this.#costs;
  }

  #count({ sources = {}, function: ran }: BatchRecord, by: 1 | -1): void {
    this.rows += by;
    for (const [id, entry] of Object.entries(sources)) {
      const { success, match, charged, cost } = entry;
      this.#add(id, by, {
        matched: oneIf(success && match),
        unmatched: oneIf(success && !match),
        failed: oneIf(!success),
        open: oneIf(isOpen(entry)),
        charged: oneIf(charged === "yes" || charged === "unknown"),
      });
      if (cost !== null) addAmount(this.#costs, cost.currency, times(readAmount(cost.amount) ?? 0n, by));
    }
    if (ran !== undefined) this.#add(ran.id, by, { ...NONE, matched: oneIf(ran.success), failed: oneIf(!ran.success) });
  }

  #add(id: string, by: 1 | -1, counts: TargetTally): void {
    const sums = this.of(id);
    this.#targets.set(id, {
      matched: sums.matched + by * counts.matched,
      unmatched: sums.unmatched + by * counts.unmatched,
      failed: sums.failed + by * counts.failed,
      open: sums.open + by * counts.open,
      charged: sums.charged + by * counts.charged,
    });
  }
}
