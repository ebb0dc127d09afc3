import { useEffect } from "preact/hooks";
import type { TimeRange } from "../parts/time-range.tsx";
import { useVerb, type VerbState } from "./use-verb.ts";
import type { InputOf, ResultOf } from "./verb-types.ts";

export type History = ResultOf<"ledger history">;
export type RunCounts = ResultOf<"ledger count">;
type Filter<Name extends "ledger history" | "ledger count"> = Omit<InputOf<Name>, "from" | "to" | "step" | "time_zone">;

const REFRESH_MS = 30_000;

/** The history of a range. A range that ends now is read again from time to time while the page is visible. */
export function useHistory(range: TimeRange, filter: Filter<"ledger history">): VerbState<History> {
  const state = useVerb("ledger history", { ...filter, ...stepsOf(range) });
  const { name } = range;
  const { reload } = state;
  useEffect(() => {
    if (name === "custom") return;
    const timer = setInterval(() => document.visibilityState === "visible" && reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [name, reload]);
  return state;
}

/** The counts of a range's runs. Like the list of these runs, they are not read again. */
export function useRunCounts(range: TimeRange, filter: Filter<"ledger count">): VerbState<RunCounts> {
  return useVerb("ledger count", { ...filter, ...stepsOf(range) });
}

function stepsOf({ from, to, step, zone }: TimeRange) {
  return { from, to, step, ...(zone !== "UTC" && { time_zone: zone }) };
}
