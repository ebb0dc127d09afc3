import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Json } from "../../terms/json.ts";
import type { SourceFile } from "./format.ts";
import { didYouMean } from "./near-miss.ts";
import { publishedSchema } from "./published-schema.ts";
import type { Place } from "./read-document.ts";

let compiled: ValidateFunction<SourceFile> | undefined;

/** Compiled when a file is first checked: it takes longer than anything else here, and many projects have no such file. */
function formatCheck(): ValidateFunction<SourceFile> {
  // The schema is our own and tested, so it is not held against the schema of schemas, which would take longer still.
  compiled ??= new Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    discriminator: true,
    logger: false,
    meta: false,
    validateSchema: false,
  }).compile<SourceFile>(publishedSchema());
  return compiled;
}

/** Checks a document against the format; the first thing wrong with it is said at its place. @throws DeclarationError */
export function checkFormat(value: Json, root: Place): SourceFile {
  const fits = formatCheck();
  if (fits(value)) return value;
  const errors = [...(fits.errors ?? [])].sort((one, other) => weight(one) - weight(other));
  return refuse(errors[0]!, root);
}

/** A key that is not known explains most of what else is wrong beside it; an alternative that failed explains nothing. */
function weight(error: ErrorObject): number {
  if (error.keyword === "additionalProperties") return 0;
  if (error.keyword === "required") return 1;
  return ["anyOf", "oneOf", "if"].includes(error.keyword) ? 3 : 2;
}

function refuse(error: ErrorObject, root: Place): never {
  const steps = error.instancePath.split("/").slice(1);
  const place = root.in(...steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")));
  const where = steps.length === 0 ? "a source" : `"${steps.join(".")}"`;
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case "additionalProperties": {
      const key = String(params["additionalProperty"]);
      const known = Object.keys((error.parentSchema as { properties?: object }).properties ?? {});
      return place
        .in(key)
        .refuseKey(
          "format.unknown_key",
          `unknown key "${key}" in ${where}`,
          didYouMean(key, known) ?? `known are ${known.join(", ")}`,
        );
    }
    case "required":
      return place.refuseKey("format.missing_key", `${where} needs the key "${String(params["missingProperty"])}"`);
    case "enum": {
      const allowed = params["allowedValues"] as readonly string[];
      const hint = typeof error.data === "string" ? didYouMean(error.data, allowed) : undefined;
      return place.refuse("format.value", `${where} must be one of ${allowed.join(", ")}`, hint);
    }
    case "discriminator":
      return place.refuse(
        "format.value",
        `${where} must be of a kind that exists`,
        "kinds are api_key, basic, bearer, token_exchange, hmac, mtls",
      );
    default:
      return place.refuse("format.value", `${where} ${error.message ?? "is not valid"}`, descriptionOf(error));
  }
}

function descriptionOf(error: ErrorObject): string | undefined {
  return (error.parentSchema as { description?: string } | undefined)?.description;
}
