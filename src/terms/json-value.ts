import type { ExactNumber } from "./exact-number.ts";

/** Any value JSON can say. Objects may have own properties named `__proto__` or `constructor`: they are plain names. */
export type Json = string | number | boolean | null | ExactNumber | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}
