import { defineSource, Type } from "datarun";

import { EU_RELATIONS, euRelation, loadRegions, type Region } from "../../offline/regions.ts";

const DATA_DATE = "2026-02";

/** Half the side of the square in which nearby countries are looked for. A degree of latitude is about 111 km. */
const NEARBY_DEGREES = 0.05;

const description = `
Says in which country a point lies, which territory with a code of its own (Puerto Rico, Hong Kong, Réunion), which part of
the world by the United Nations' regions, and how the place stands to the European Union.

**No record** means open sea: no land is within the generalised borders around the point.

**What it does not know**
- Exact borders. They are simplified, up to some kilometres off, and on water more than that: a point near a coast may
  be given the country ashore. \`nearby_country_codes\` names every other country within about 5 km, so that a caller can tell
  a safe answer from an unsafe one.
- Whose a disputed place is. One country is given for each point, about the one that controls it in fact: Crimea is given as
  Russia, Western Sahara mostly as Morocco, the Golan Heights as Israel. \`area\` often names the place (*Crimea*, *West Bank*);
  decide by that where sanctions or a policy's wording depend on it. Northern Cyprus comes with \`country_code\` null.
- Districts, towns, addresses.

\`eu_relation\` tells apart what \`in_european_union\` sums up: \`part\` (of a member state, or a territory such as Åland to which
the treaties apply), \`outermost_region\` (in the Union: Réunion, the Canaries), \`overseas_country_or_territory\` (linked, but
outside: Greenland, New Caledonia), \`none\`. Tax and customs territories differ again.
`.trim();

const nullable = (about: string, options: { pattern?: string } = {}) =>
  Type.Union([Type.String(options), Type.Null()], { description: about });

/** The country at a point on the earth. Open sea gives no record. */
export default defineSource({
  id: "openstreetmap__country_at",
  title: "Country at a point",
  description,
  docs: "https://github.com/rapideditor/country-coder",
  charge: "free",
  data: [
    {
      name: "Generalised borders by OpenStreetMap's Rapid editor: @rapideditor/country-coder 5.6.1",
      licence: "ISC",
      date: DATA_DATE,
      max_age_days: 730,
      url: "https://github.com/rapideditor/country-coder",
    },
  ],
  inputs: Type.Object({
    latitude: Type.Number({
      minimum: -90,
      maximum: 90,
      description: "Degrees north of the equator (WGS 84); south is negative.",
      examples: [48.8584],
    }),
    longitude: Type.Number({
      minimum: -180,
      maximum: 180,
      description: "Degrees east of Greenwich (WGS 84); west is negative.",
      examples: [2.2945],
    }),
  }),
  output: Type.Object(
    {
      country_code: nullable(
        "ISO 3166-1 alpha-2 code of the country; null where it has none, or there is no country.",
        {
          pattern: "^[A-Z]{2}$",
        },
      ),
      country_alpha_3: nullable("The country's alpha-3 code, or null.", { pattern: "^[A-Z]{3}$" }),
      country_numeric: nullable("The country's numeric code, or null.", { pattern: "^[0-9]{3}$" }),
      country_name: nullable("English name of the country; null where no country is (Bir Tawil, Antarctica)."),
      territory_code: nullable("Officially assigned alpha-2 code of the territory within the country, or null.", {
        pattern: "^[A-Z]{2}$",
      }),
      territory_name: nullable("English name of that territory, or null."),
      area: Type.String({ description: "English name of the smallest area known here, often the country itself." }),
      region: nullable("The United Nations' region: Africa, Americas, Asia, Europe, Oceania; or Antarctica."),
      subregion: nullable("The United Nations' subregion, such as Western Europe; or null."),
      in_european_union: Type.Boolean({ description: "`eu_relation` is `part` or `outermost_region`." }),
      eu_relation: Type.Enum([...EU_RELATIONS], { description: "How the place stands to the European Union." }),
      drives_on: Type.Enum(["left", "right"], { description: "The side of the road traffic drives on." }),
      nearby_country_codes: Type.Array(Type.String(), {
        description:
          "Alpha-2 codes of other countries within about 5 km, sorted. Empty: the answer is safe from borders.",
      }),
      data_date: Type.String({ description: "The month of the borders." }),
    },
    { additionalProperties: false },
  ),

  async run({ inputs }) {
    const coder = await loadRegions();
    // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- with more digits than a double has, it is an object
    const [latitude, longitude] = [Number(inputs.latitude), Number(inputs.longitude)];
    const around = coder.featuresContaining([longitude, latitude]).map((feature) => feature.properties);
    const [area] = around;
    if (area === undefined) return null;
    const country = around.find((region) => region.level === "country");
    const territory = around.find(isCodedTerritory);
    const relation = euRelation(area);
    return {
      country_code: country?.iso1A2 ?? null,
      country_alpha_3: country?.iso1A3 ?? null,
      country_numeric: country?.iso1N3 ?? null,
      country_name: country?.nameEn ?? null,
      territory_code: territory?.iso1A2 ?? null,
      territory_name: territory?.nameEn ?? null,
      area: area.nameEn,
      region: around.find((region) => region.level === "region")?.nameEn ?? null,
      subregion: around.find((region) => region.level === "subregion")?.nameEn ?? null,
      in_european_union: relation === "part" || relation === "outermost_region",
      eu_relation: relation,
      drives_on: area.driveSide ?? country?.driveSide ?? "right",
      nearby_country_codes: nearbyCountries(coder, latitude, longitude, country?.iso1A2),
      data_date: DATA_DATE,
    };
  },
});

/** The data lists Antarctica as a region of the world, but with a code like a territory's. */
function isCodedTerritory(region: Region): boolean {
  return region.isoStatus === "official" && region.level !== "country";
}

function nearbyCountries(
  coder: Awaited<ReturnType<typeof loadRegions>>,
  latitude: number,
  longitude: number,
  here: string | undefined,
): string[] {
  // Meridians converge towards the poles; more than one degree is never searched.
  const east = Math.min(1, NEARBY_DEGREES / Math.max(Math.cos((latitude * Math.PI) / 180), NEARBY_DEGREES));
  const found = coder.featuresContaining([
    Math.max(-180, longitude - east),
    Math.max(-90, latitude - NEARBY_DEGREES),
    Math.min(180, longitude + east),
    Math.min(90, latitude + NEARBY_DEGREES),
  ]);
  const codes = found
    .filter((feature) => feature.properties.level === "country")
    .map((feature) => feature.properties.iso1A2)
    .filter((code) => code !== undefined && code !== here);
  return [...new Set(codes as string[])].sort();
}
