import { useEffect } from "preact/hooks";
import type { TimeRange } from "../parts/time-range.tsx";
import { useVerb, type VerbState } from "./use-verb.ts";
import type { InputOf, ResultOf } from "./verb-types.ts";

export type History = ResultOf<"ledger history">;
type Filter = Omit<InputOf<"ledger history">, "from" | "to" | "step" | "time_zone">;

const REFRESH_MS = 30_000;

/** The history of a range. A range that ends now is read again from time to time while the page is visible. */
export function useHistory(range: TimeRange, filter: Filter): VerbState<History> {
  const { from, to, step, zone, name } = range;
  const state = useVerb("ledger history", { ...filter, from, to, step, ...(zone !== "UTC" && { time_zone: zone }) });
  const { reload } = state;
  useEffect(() => {
    if (name === "custom") return;
    const timer = setInterval(() => document.visibilityState === "visible" && reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [name, reload]);
  return state;
}
