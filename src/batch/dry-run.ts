import { OperatorError } from "../terms/operator-error.ts";
import { isReadable, RowFileError } from "../row-files/row-file.ts";
import { amountTexts, leastDurationMs, mostCost } from "./estimate.ts";
import type { ToInputs } from "./map-columns.ts";
import type { BatchInput } from "./open-input.ts";
import type { BatchPlan } from "./plan.ts";
import { checkRow } from "./row-jobs.ts";

export interface DryRunTarget {
  readonly source: string;
  readonly valid: number;
  readonly invalid: number;
  /** The first reasons, each with its row. */
  readonly reasons: readonly { readonly row: number; readonly problem: string }[];
  /** Why it would not be called, or why its inputs could not be checked. */
  readonly problem: string | null;
  /** What the vendor bills; `null` if it is not known. */
  readonly bills: string | null;
}

export interface DryRunResult {
  readonly rows: number;
  readonly targets: readonly DryRunTarget[];
  /** Rows for which no request would be sent. */
  readonly rejected: number;
  readonly unreadable: readonly { readonly row: number; readonly problem: string }[];
  /** The most that a call of each source for each valid row costs, by currency. */
  readonly at_most: readonly string[];
  /** What may be billed, and has no known price. */
  readonly unknown_cost: readonly string[];
  readonly least_duration_ms: number | null;
}

const REASONS_MAX = 5;

/** Checks every row as a run would, and sends nothing. @throws OperatorError */
export async function dryRun(input: BatchInput, plan: BatchPlan, toInputs: ToInputs): Promise<DryRunResult> {
  const { targets } = plan;
  const counts = targets.map(() => ({ valid: 0, invalid: 0, reasons: [] as { row: number; problem: string }[] }));
  const unreadable: { row: number; problem: string }[] = [];
  let rejected = 0;
  for await (const piece of (await input.read()).pieces) {
    for (const row of piece) {
      if (!isReadable(row)) {
        rejected += 1;
        if (unreadable.length < REASONS_MAX) unreadable.push({ row: row.number, problem: row.problem });
        continue;
      }
      const { problems } = checkRow(row.values, toInputs, targets);
      if (!problems.includes(null)) rejected += 1;
      for (const [at, problem] of problems.entries()) {
        const count = counts[at]!;
        if (problem === null) count.valid += 1;
        else {
          count.invalid += 1;
          if (count.reasons.length < REASONS_MAX) count.reasons.push({ row: row.number, problem });
        }
      }
    }
  }
  const validOf = new Map(targets.map(({ id }, at) => [id, counts[at]!.valid]));
  const calls = ({ id }: { readonly id: string }): number => validOf.get(id)!;
  return {
    rows: input.rows,
    targets: targets.map(({ id, problem, bills }, at) => ({ source: id, ...counts[at]!, problem, bills })),
    rejected,
    unreadable,
    at_most: amountTexts(mostCost(targets, calls)),
    unknown_cost: targets.filter(({ bills, price }) => bills !== "free" && price === null).map(({ id }) => id),
    least_duration_ms: leastDurationMs(targets, calls),
  };
}

/** A file that breaks off or changes while it is read. */
export function asOperatorError(error: unknown): never {
  if (error instanceof RowFileError) throw new OperatorError("invalid", error.message, { cause: error });
  throw error;
}
