import { fileURLToPath } from "node:url";

export const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
export const MANIFEST = `${CHECKOUT}package.json`;
/** Where the checkout's package.json is while npm packs. */
export const KEPT = `${CHECKOUT}package.checkout.json`;
