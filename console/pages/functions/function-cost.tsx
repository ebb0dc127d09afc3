import { useVerb, type VerbState } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { DAY_MS } from "../../parts/time-zone.ts";
import { COST_DAYS, costOfRunsWords } from "../run/price-words.ts";

type FunctionCosts = VerbState<ResultOf<"function activity">>;

/** The recent runs of a function, with their costs. */
export function useFunctionCosts(id: string): FunctionCosts {
  const from = new Date(Date.now() - COST_DAYS * DAY_MS).toISOString().slice(0, "2026-03-01".length);
  return useVerb("function activity", { function: id, from });
}

/** An estimate of what a run of a function costs: no plan knows which sources it will call. */
export function FunctionCost({ of: { result, error } }: { readonly of: FunctionCosts }) {
  if (result === undefined) return <>{error === undefined ? "…" : "unknown"}</>;
  return <>{costOfRunsWords(result.activity[0])}</>;
}
