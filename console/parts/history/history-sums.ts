import type { History } from "../../api/use-history.ts";

/** The figures of a step, or of a whole range. */
export type Figures = Omit<History["groups"][number]["points"][number], "at">;

/** Calls of which the vendor or the code failed. */
export function failedOf({ failed }: Pick<Figures, "failed">): number {
  return sumOf(Object.values(failed));
}

/** Calls that datarun rejected, apart from those without a credential. */
export function rejectedOf({ rejected }: Pick<Figures, "rejected">): number {
  return sumOf(Object.values(rejected));
}

/** Calls for which a request was sent, or could have been. */
export function attemptedOf(of: Pick<Figures, "calls" | "rejected" | "no_credential">): number {
  return of.calls - rejectedOf(of) - of.no_credential;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
