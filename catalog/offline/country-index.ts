import { createRequire } from "node:module";

import { breathe } from "./breathe.ts";
import { loadOnce } from "./load-once.ts";

const LANGUAGES = createRequire(import.meta.url)("i18n-iso-countries/supportedLocales.json") as readonly string[];

interface Language {
  readonly locale: string;
  readonly countries: Readonly<Record<string, string | readonly string[]>>;
}

export interface CountryIndex {
  /** Alpha-2 codes by normalised name, from all languages: several codes if a name stands for several countries. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  /** The same with English names only, for words too short to be looked up in all languages. */
  readonly byEnglishName: ReadonlyMap<string, readonly string[]>;
}

/** About 12,000 names in 78 languages, read one language at a time so that other requests can continue in between. */
export const loadCountryIndex = loadOnce(async (): Promise<CountryIndex> => {
  const byName = new Map<string, string[]>();
  const byEnglishName = new Map<string, string[]>();
  for (const language of LANGUAGES) {
    const { default: names } = (await import(`i18n-iso-countries/langs/${language}.json`, {
      with: { type: "json" },
    })) as { default: Language };
    addNames(byName, names);
    if (language === "en") addNames(byEnglishName, names);
    await breathe();
  }
  return { byName, byEnglishName };
});

function addNames(index: Map<string, string[]>, { countries }: Language): void {
  for (const [alpha2, written] of Object.entries(countries)) {
    for (const name of typeof written === "string" ? [written] : written) {
      const key = foldCountryName(name);
      const known = index.get(key);
      if (known === undefined) index.set(key, [alpha2]);
      else if (!known.includes(alpha2)) known.push(alpha2);
    }
  }
}

/**
 * Accents of Latin, Greek and Cyrillic. The vowel signs of other scripts are kept, because names would collide without
 * them.
 */
const ACCENTS = /[\u0300-\u036f]/g;

/** A name without case, accents, punctuation, invisible characters and "the", so that equal names compare equal. */
export function foldCountryName(name: string): string {
  return name
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\p{Cf}.'’`´]/gu, "")
    .replace(/&/g, " and ")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()
    .replace(/^the /, "");
}
