import type { Clock } from "../../terms/time/clock.ts";
import { Fault } from "../../terms/fault.ts";
import type { BudgetLimit } from "./budget-limit.ts";
import { budgetFault, type Part, takeAll } from "./reservation.ts";

const WAITING_MAX = 16_384;

interface WaitingRequest {
  readonly parts: readonly Part[];
  /** The number of the first exchange with this need. */
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (fault: Fault) => void;
}

/**
 * Requests that lack units in this process. They wait for the next exchange, and are refused if it does not bring
 * enough.
 */
export class WaitingRequests {
  readonly #clock: Clock;
  readonly #look: (limit: BudgetLimit) => void;
  readonly #all = new Set<WaitingRequest>();

  /** @param look asks the store for a budget's needs */
  constructor(clock: Clock, look: (limit: BudgetLimit) => void) {
    this.#clock = clock;
    this.#look = look;
  }

  /**
   * Resolves when the parts have been taken. Rejects with a fault if there is no capacity for them, or no answer in
   * time.
   * @param since the number of the next exchange
   */
  add(parts: readonly Part[], since: number, until: number): Promise<void> {
    if (this.#all.size >= WAITING_MAX) throw new Fault("source.budget_unknown");
    return new Promise((resolve, reject) => {
      const waitsFor = parts.filter(({ units }) => units > 0n);
      const end = (): void => {
        cancel();
        this.#all.delete(waiting);
        for (const part of waitsFor) part.limit.waiting.delete(part);
      };
      const waiting: WaitingRequest = {
        parts,
        since,
        resolve: () => {
          end();
          resolve();
        },
        reject: (fault) => {
          end();
          reject(fault);
        },
      };
      const cancel = this.#clock.after(Math.max(0, until - this.#clock.now()), () => {
        waiting.reject(new Fault("source.budget_unknown"));
      });
      this.#all.add(waiting);
      for (const part of waitsFor) part.limit.waiting.add(part);
      for (const { limit } of parts) this.#look(limit);
    });
  }

  /**
   * Serves waiting requests in order; refuses those that the answer did not cover.
   * @param exchange the number of the exchange in which the limits in `asked` took part
   */
  serve(exchange: number, asked: ReadonlySet<BudgetLimit>, isAnswered: boolean): void {
    const now = this.#clock.now();
    for (const waiting of this.#all) {
      const lacking = takeAll(waiting.parts, now);
      if (lacking === null) waiting.resolve();
      else if (waiting.since > exchange || !asked.has(lacking)) this.#look(lacking);
      else if (!isAnswered) waiting.reject(new Fault("source.budget_unknown"));
      // The answer was about a period that has ended since.
      else if (lacking.isOver(now)) this.#look(lacking);
      else waiting.reject(budgetFault(lacking));
    }
  }
}
