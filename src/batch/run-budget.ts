import { OperatorError } from "../terms/operator-error.ts";
import type { RowAsker } from "./ask-rows.ts";
import { type BatchBudget, type BudgetParts, removeBatchBudget, setBatchBudget, usedOfBudget } from "./batch-budget.ts";
import type { BatchParts, BatchRequest } from "./batch-request.ts";
import type { OpenedBatch } from "./open-batch.ts";
import type { PreparedBatch } from "./prepare-batch.ts";

const READ_EVERY_MS = 5_000;
/** A timer cannot be longer. */
const TIMER_MS_MAX = 2 ** 31 - 1;
const BEFORE_MONTH_END_MS = 60_000;

/** The budget of `--max-cost` while a batch runs: from before its first request until after its last one. */
export class RunBudget {
  readonly #maxCost: BatchRequest["maxCost"];
  readonly #prepared: PreparedBatch;
  readonly #parts: BudgetParts & Pick<BatchParts, "note">;
  #budget: BatchBudget | null = null;
  #usedText: string | null = null;
  #readAt = 0;

  constructor(
    { maxCost }: Pick<BatchRequest, "maxCost">,
    { admin, clock, note }: Pick<BatchParts, "admin" | "clock" | "note">,
    prepared: PreparedBatch,
    { journal, state }: Pick<OpenedBatch, "journal" | "state">,
  ) {
    this.#maxCost = maxCost;
    this.#prepared = prepared;
    this.#parts = { admin, clock, note, journal, state };
  }

  /** Sets or continues it, and removes one that an earlier process has left. @throws OperatorError */
  async start(): Promise<void> {
    const maxCost = this.#maxCost;
    const { plan, spec } = this.#prepared;
    const { scope } = this.#parts.state.budget;
    // A process that was killed has left it.
    if (scope !== null && scope.currency !== maxCost?.currency) await removeBatchBudget(this.#parts);
    if (maxCost !== null) this.#budget = await setBatchBudget(maxCost, spec, plan.workflow!.organization, this.#parts);
  }

  async end(): Promise<void> {
    const { state, note } = this.#parts;
    const { scope } = state.budget;
    if (scope === null) return;
    try {
      await removeBatchBudget(this.#parts);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      note(
        `The budget of this batch could not be removed: ${error.message} The same command removes it, and so does "datarun budget remove", for which "datarun budget list --org ${scope.organization}" has its id.`,
      );
    }
  }

  /** What it has counted, as far as is known; `null` without a budget. Asks the service now and then. */
  usedText(): string | null {
    const { admin, clock } = this.#parts;
    if (this.#budget !== null && clock.now() - this.#readAt > READ_EVERY_MS) {
      this.#readAt = clock.now();
      usedOfBudget(admin, this.#budget.id).then(
        (text) => (this.#usedText = text),
        () => {},
      );
    }
    return this.#usedText;
  }

  /** Call the returned function to cancel it. */
  stopBeforeMonthEnds(asker: Pick<RowAsker, "stop">): () => void {
    const { clock } = this.#parts;
    if (this.#budget === null) return () => {};
    const leftMs = this.#budget.endsWallAt - clock.wall() - BEFORE_MONTH_END_MS;
    if (leftMs > TIMER_MS_MAX) return () => {};
    return clock.after(Math.max(0, leftMs), () =>
      asker.stop(
        "The month of its budget ends, after which the budget would begin anew. Give the same command again in two minutes.",
      ),
    );
  }
}
