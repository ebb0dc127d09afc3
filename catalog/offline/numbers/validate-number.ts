import { withoutSeparators, type Holder, type NumberRule } from "./number-rule.ts";
import { RULES_OF_AFRICA } from "./rules-of-africa.ts";
import { RULES_OF_ASIA_AND_OCEANIA } from "./rules-of-asia-and-oceania.ts";
import { RULES_OF_OTHER_EUROPE } from "./rules-of-other-europe.ts";
import { RULES_OF_THE_EUROPEAN_UNION } from "./rules-of-the-european-union.ts";
import { RULES_OF_THE_AMERICAS } from "./rules-of-the-americas.ts";

const RULES: ReadonlyMap<string, NumberRule> = new Map(
  [
    RULES_OF_AFRICA,
    RULES_OF_ASIA_AND_OCEANIA,
    RULES_OF_OTHER_EUROPE,
    RULES_OF_THE_AMERICAS,
    RULES_OF_THE_EUROPEAN_UNION,
  ].flatMap(Object.entries),
);

/** Country codes that are written before numbers, where they are not the ISO code alone. */
const PREFIXES: Readonly<Record<string, string>> = { GB: "GB|XI", GR: "GR|EL", XI: "GB|XI" };

/** Northern Ireland has numbers of the United Kingdom. */
const RULES_OF_OTHERS: Readonly<Record<string, string>> = { XI: "GB" };

/** Why a text is not a number of the type. Only an unknown format leaves open that there is such a number. */
export type Refusal = "unknown_format" | "component" | "checksum";

export type Verdict =
  | { readonly refusal: Refusal }
  | {
      readonly compact: string;
      readonly hasCheckDigits: boolean;
      readonly holder: Holder | null;
      readonly isGrouped: boolean;
    };

/** The ISO country whose rules apply, and whose names the library has. */
export function issuerOf(country: string): string {
  return RULES_OF_OTHERS[country] ?? country;
}

/** Checks a text as a number of one type. `today` is an ISO date. */
export function validateNumber(country: string, type: string, typed: string, today: string): Verdict {
  const rule = RULES.get(`${issuerOf(country)}.${type}`)!;
  const text = plain(typed);
  const number = numberIn(text, rule, today) ?? numberIn(withoutPrefix(country, text), rule, today);
  if (number === undefined) return { refusal: "unknown_format" };
  if (!canExist(number, rule, today)) return { refusal: "component" };
  const isChecked = rule.check?.(number, today) ?? null;
  if (isChecked === false) return { refusal: "checksum" };
  return {
    compact: number,
    hasCheckDigits: isChecked === true,
    holder: rule.holder?.(number) ?? null,
    isGrouped: rule.ungrouped?.test(number) !== true,
  };
}

/** The compact number, if the text has one of the rule's forms. */
function numberIn(text: string, rule: NumberRule, today: string): string | undefined {
  const number = rule.compact === undefined ? withoutSeparators(text) : rule.compact(text, today);
  return rule.form.test(number) ? number : undefined;
}

function canExist(number: string, rule: NumberRule, today: string): boolean {
  return !isNothing(number, rule) && rule.possible?.test(number) !== false && rule.parts?.(number, today) !== false;
}

/** Upper case, ASCII digits and no invisible characters. */
function plain(typed: string): string {
  return typed
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .trim()
    .toUpperCase();
}

function withoutPrefix(country: string, text: string): string {
  return text.replace(new RegExp(String.raw`^\(?(?:${PREFIXES[country] ?? country})\)?[\s:.\-]*`), "");
}

/** Zeros alone satisfy most check digits, but in forms they mean "none". */
function isNothing(number: string, rule: NumberRule): boolean {
  return /^0+$/.test(number) || (rule.zeros !== true && /^[^1-9]*0[^1-9]*$/.test(number));
}
