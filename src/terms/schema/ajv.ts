import { Ajv2020, type Options } from "ajv/dist/2020.js";

/**
 * The only place that creates validators for JSON Schema 2020-12: nothing is coerced, removed or defaulted, inherited
 * names such as `toString` are ignored, and unknown keywords are annotations. The caller sets the remaining options,
 * and should reuse the validator.
 */
export function createAjv(options: Options): Ajv2020 {
  return new Ajv2020({ strict: false, ownProperties: true, logger: false, ...options });
}
