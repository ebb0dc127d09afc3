import type { borders } from "@rapideditor/country-coder";

import { loadOnce } from "./load-once.ts";

export type Region = (typeof borders)["features"][number]["properties"];

/** The borders of the world: about 50 ms and 10 MiB once, on the first use by any source. */
export const loadRegions = loadOnce(() => import("@rapideditor/country-coder"));

/** How a place stands to the European Union. The last two are linked to it but are not part of it, or have no link. */
export const EU_RELATIONS = ["part", "outermost_region", "overseas_country_or_territory", "none"] as const;
export type EuRelation = (typeof EU_RELATIONS)[number];

const EU = "EU";
const OUTERMOST_REGIONS = "Q3320166";
const OVERSEAS_COUNTRIES_AND_TERRITORIES = "Q1451600";

/**
 * How a region stands to the European Union. The data also files some overseas countries and territories under the Union
 * itself; as Union law does not apply there as it does in a member state, they are told apart first.
 */
export function euRelation({ groups }: Region): EuRelation {
  if (groups.includes(OVERSEAS_COUNTRIES_AND_TERRITORIES)) return "overseas_country_or_territory";
  if (groups.includes(OUTERMOST_REGIONS)) return "outermost_region";
  return groups.includes(EU) ? "part" : "none";
}

/** Alpha-2 codes of the member states. Of a kingdom such as Denmark only a part may be in the Union: it still is one. */
export const loadEuMembers = loadOnce(async () => {
  const { borders } = await loadRegions();
  const members = new Set<string>();
  for (const { properties, geometry } of borders.features) {
    const country = properties.country ?? properties.iso1A2;
    if (geometry !== null && country !== undefined && euRelation(properties) === "part") members.add(country);
  }
  return members;
});
