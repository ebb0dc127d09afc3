import type { borders } from "@rapideditor/country-coder";

import { loadOnce } from "./load-once.ts";

export type Region = (typeof borders)["features"][number]["properties"];

/** The borders of the world. Loading them takes about 50 ms and 10 MiB, once, on first use by any source. */
export const loadRegions = loadOnce(() => import("@rapideditor/country-coder"));

/**
 * The relation of a place to the European Union. The last two are not part of it: one is associated with it, the other
 * has no relation.
 */
export const EU_RELATIONS = ["part", "outermost_region", "overseas_country_or_territory", "none"] as const;
export type EuRelation = (typeof EU_RELATIONS)[number];

const EU = "EU";
const OUTERMOST_REGIONS = "Q3320166";
const OVERSEAS_COUNTRIES_AND_TERRITORIES = "Q1451600";

/**
 * The relation of a region to the European Union. The data also lists some overseas countries and territories as part
 * of the Union. Its law does not apply there as in a member state, so they are checked first.
 */
export function euRelation({ groups }: Region): EuRelation {
  if (groups.includes(OVERSEAS_COUNTRIES_AND_TERRITORIES)) return "overseas_country_or_territory";
  if (groups.includes(OUTERMOST_REGIONS)) return "outermost_region";
  return groups.includes(EU) ? "part" : "none";
}

/**
 * Alpha-2 codes of the member states. If only a part of a kingdom such as Denmark is in the Union, it still is a
 * member.
 */
export const loadEuMembers = loadOnce(async () => {
  const { borders } = await loadRegions();
  const members = new Set<string>();
  for (const { properties, geometry } of borders.features) {
    const country = properties.country ?? properties.iso1A2;
    if (geometry !== null && country !== undefined && euRelation(properties) === "part") members.add(country);
  }
  return members;
});
