import type { ExactNumber } from "./exact-number.ts";

/** Any JSON value. Objects may have own properties named `__proto__` or `constructor`: these are ordinary names. */
export type Json = string | number | boolean | null | ExactNumber | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}
