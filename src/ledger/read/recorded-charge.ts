import type { Charged } from "../../terms/fault.ts";
import type { RunReportRow } from "../ports.ts";
import { RECORDED_BY } from "./reconcile-charge.ts";

/**
 * What the service itself had recorded of a request, whatever a person has settled since. `null` if it has no record of
 * it.
 */
export function recordedCharge(
  { attempts, reconciliations }: Pick<RunReportRow, "attempts" | "reconciliations">,
  ordinal: number,
  number: number,
): Charged | null {
  const first = reconciliations.find((one) => one.ordinal === ordinal && one.attempt === number);
  // Only a record that was overruled is kept as a row of its own. What was settled otherwise was unknown.
  if (first !== undefined) return first.decided_by === RECORDED_BY ? first.charged : "unknown";
  return attempts.find((one) => one.ordinal === ordinal && one.number === number)?.charged ?? null;
}
