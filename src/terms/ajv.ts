import { Ajv2020, type Options } from "ajv/dist/2020.js";

/**
 * The one place where validators of JSON Schema 2020-12 are made: nothing is coerced, removed or defaulted, `toString` is
 * not found on a prototype, and unknown keywords are annotations. Whoever makes one says what it is for, and keeps it.
 */
export function createAjv(options: Options): Ajv2020 {
  return new Ajv2020({ strict: false, ownProperties: true, logger: false, ...options });
}
