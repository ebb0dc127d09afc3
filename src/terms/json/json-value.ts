import type { ExactNumber } from "./exact-number.ts";

/** Any JSON value. Objects may have own properties of any name, including `__proto__` and `constructor`. */
export type Json = string | number | boolean | null | ExactNumber | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}
