/** Suggestions while a currency is typed. Any other currency can be entered. */
export const CURRENCIES: readonly string[] = ["EUR", "USD", "GBP", "CHF"];
