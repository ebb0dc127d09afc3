/** Those that are offered while a currency is typed. Any other can be typed as well. */
export const CURRENCIES: readonly string[] = ["EUR", "USD", "GBP", "CHF"];
