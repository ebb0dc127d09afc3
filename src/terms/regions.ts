import { Fault } from "./fault.ts";

/**
 * Why something may not be used in a region; `null` if it may. Regions are an operator's own names and are compared as
 * written; without a list, every region is allowed.
 */
export function regionFault(
  what: "this source" | "the credential",
  regions: readonly string[] | undefined,
  region: string,
): Fault | null {
  if (regions === undefined || regions.length === 0 || regions.includes(region)) return null;
  return new Fault("source.region_refused", { what, regions: regions.join(" or "), region });
}
