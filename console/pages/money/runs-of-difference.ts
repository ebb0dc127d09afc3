import type { ResultOf } from "../../api/verb-types.ts";
import { dayAfter, spanOfMonth } from "./month.ts";

type Difference = ResultOf<"ledger compare">["differences"][number];

export interface ComparedWith {
  readonly month: string;
  readonly org?: string | undefined;
  readonly source?: string | undefined;
}

/** A link within the console. */
interface Place {
  readonly label: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** Links to the runs of a difference: the first and the last of its own, else those of its day or month. */
export function runsOfDifference(
  { transaction, runs = [], day }: Pick<Difference, "transaction" | "runs" | "day">,
  { month, org, source }: ComparedWith,
): readonly Place[] {
  const [first, last] = transaction?.startsWith("trx_") ? [transaction] : runs;
  if (first !== undefined && last !== undefined) return [runAt("The first run", first), runAt("The last run", last)];
  if (first !== undefined) return [runAt("The run", first)];
  const span = day ? { from: day, to: dayAfter(day) } : spanOfMonth(month);
  return [{ label: `Runs of the ${day ? "day" : "month"}`, path: "/runs", query: { ...span, org, source } }];
}

function runAt(label: string, id: string): Place {
  return { label, path: `/runs/${encodeURIComponent(id)}` };
}
