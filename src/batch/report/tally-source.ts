import { type Micros, readAmount } from "../../terms/money/money.ts";
import { isJsonObject, type JsonObject } from "../../terms/json/json.ts";
import { Durations } from "./durations.ts";
import { RowSet } from "./row-set.ts";

/** The rows that were charged one price. */
export interface PricedRows {
  readonly amount: Micros;
  readonly currency: string;
  /** Certainly charged. */
  readonly sure: RowSet;
  /** Perhaps charged. */
  readonly maybe: RowSet;
}

/** More prices than a contract has; every price takes a set of rows. */
const PRICES_MAX = 64;

/** What the records say of one source, or of a function, which has no matches and no costs. */
export class SourceTally {
  readonly id: string;
  readonly isFunction: boolean;
  readonly asked = new RowSet();
  readonly succeeded = new RowSet();
  readonly matched = new RowSet();
  readonly durations = new Durations();
  readonly prices: PricedRows[] = [];
  /** Charged, or perhaps charged, without a price that is known. */
  readonly unpriced = new RowSet();
  readonly failures = new Map<string, number>();

  constructor(id: string, isFunction: boolean) {
    this.id = id;
    this.isFunction = isFunction;
  }

  /** @returns false if the price is one too many */
  add(row: number, entry: JsonObject): boolean {
    this.asked.add(row);
    if (typeof entry["response_time_ms"] === "number") this.durations.add(entry["response_time_ms"]);
    if (entry["success"] === true) this.succeeded.add(row);
    else this.#addFailure(entry["failure"]);
    if (entry["success"] === true && entry["match"] === true) this.matched.add(row);
    return this.isFunction || this.#addCost(row, entry["charged"], entry["cost"]);
  }

  #addFailure(failure: unknown): void {
    const kind = isJsonObject(failure) && typeof failure["kind"] === "string" ? failure["kind"] : "unknown";
    this.failures.set(kind, (this.failures.get(kind) ?? 0) + 1);
  }

  #addCost(row: number, charged: unknown, cost: unknown): boolean {
    if (charged === "no") return true;
    const amount = isJsonObject(cost) && typeof cost["amount"] === "string" ? readAmount(cost["amount"]) : null;
    if (amount === null || !isJsonObject(cost) || typeof cost["currency"] !== "string") {
      this.unpriced.add(row);
      return true;
    }
    const { currency } = cost;
    let priced = this.prices.find((one) => one.amount === amount && one.currency === currency);
    if (priced === undefined) {
      if (this.prices.length === PRICES_MAX) return false;
      priced = { amount, currency, sure: new RowSet(), maybe: new RowSet() };
      this.prices.push(priced);
    }
    (charged === "yes" ? priced.sure : priced.maybe).add(row);
    return true;
  }
}
