export type Holder = "business" | "individual";

/** What a country's issuer says about one of its numbers. All methods are given the compact number. */
export interface NumberRule {
  /** The forms that the number is known to have: upper case, without separators and country prefix. */
  readonly form: RegExp;
  /** Makes a typed number compact, where removing separators is not enough. The text is in upper case. */
  readonly compact?: (text: string, today: string) => string;
  /** What all numbers of the form match, such as the digits they begin with. Others cannot exist. */
  readonly possible?: RegExp;
  /** Whether dates, regions and other parts can exist. `today` is an ISO date. */
  readonly parts?: (number: string, today: string) => boolean;
  /** Whether the check digits are right; null if numbers of this form have none. Absent: none of the forms has any. */
  readonly check?: (number: string, today: string) => boolean | null;
  /** Who holds the number, where the number itself shows it. */
  readonly holder?: (number: string) => Holder | null;
  /** Zeros after letters can be a number. Without this, zeros alone mean "none". */
  readonly zeros?: boolean;
  /** Forms that the library does not group correctly, so they are shown compact. */
  readonly ungrouped?: RegExp;
}

/** By country and type, for example `DE.vat`. */
export type NumberRules = Readonly<Record<string, NumberRule>>;

/** Removes what is written between the parts of a number. */
export function withoutSeparators(text: string): string {
  return text.replaceAll(/[\s\p{Pd}.,:/_()'·−]/gu, "");
}
