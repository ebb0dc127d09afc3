/** What the vendor of the crash tests bills for each request. */
export const PRICE = { amount: 350_000n, currency: "EUR" };
