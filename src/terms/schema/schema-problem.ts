import type { FieldProblem } from "../fault.ts";
import { stepInto } from "../json/json-pointer.ts";

/** One failed keyword, as reported by a JSON Schema validator; the shape is Ajv's. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Record<string, unknown>;
  readonly message?: string;
  readonly parentSchema?: unknown;
}

const PATH_CHARS_MAX = 200;

/** The first error as a sentence that names the location and repeats no value. */
export function describeProblem(errors: readonly SchemaError[] | null | undefined): FieldProblem {
  const error = errors?.[0];
  if (error === undefined) return { path: "", message: "is not valid" };
  return describeMissing(errors!) ?? toProblem(error);
}

/**
 * The problem of a value that lacks a field in each of several forms: no single field of them is required. The
 * validator reports the missing fields of the forms first, and then that none of the forms matches.
 */
function describeMissing(errors: readonly SchemaError[]): FieldProblem | null {
  const none = errors.at(-1)!;
  if (none.keyword !== "anyOf" && none.keyword !== "oneOf") return null;
  const lacking = errors.slice(0, -1);
  const names = new Set(lacking.map(({ params }) => params["missingProperty"]));
  const isMissing = ({ keyword, instancePath }: SchemaError) =>
    keyword === "required" && instancePath === none.instancePath;
  if (names.size < 2 || !lacking.every(isMissing)) return null;
  return { ...toProblem(none), message: `needs ${shortened([...names].join(" or "))}` };
}

export function toProblem(error: SchemaError): FieldProblem {
  const path = pointer(error);
  return { path: path.length > PATH_CHARS_MAX ? `${path.slice(0, PATH_CHARS_MAX)}…` : path, message: say(error) };
}

function pointer({ instancePath, params }: SchemaError): string {
  const last = params["missingProperty"] ?? params["additionalProperty"] ?? params["propertyName"];
  return typeof last === "string" ? stepInto(instancePath, last) : instancePath;
}

/**
 * A sentence for each keyword; the validator's own sentence for keywords that can only be described by the schema. A
 * schema may define its own as `x-says`.
 */
function say({ keyword, params, message, parentSchema }: SchemaError): string {
  const says = (parentSchema as { "x-says"?: unknown } | undefined)?.["x-says"];
  if (typeof says === "string") return says;
  switch (keyword) {
    case "required":
    case "dependentRequired":
      return "is required";
    case "additionalProperties":
    case "unevaluatedProperties":
      return "is not a known field";
    case "enum":
      return `must be one of ${listed(params["allowedValues"] as unknown[])}`;
    case "const":
      return `must be ${shortened(JSON.stringify(params["allowedValue"]))}`;
    case "type":
      return `must be ${typeWords(params["type"])}`;
    case "format":
      return `must be in the format ${String(params["format"])}`;
    case "pattern":
      return "does not have the required form";
    case "uniqueItems":
      return "must not hold the same entry twice";
    case "multipleOf":
      return `must be a multiple of ${String(params["multipleOf"])}`;
    case "anyOf":
      return "has none of the forms that it may have";
    case "oneOf":
      return Array.isArray(params["passingSchemas"])
        ? "has more than one of the forms that it may have"
        : "has none of the forms that it may have";
    case "not":
      return "has a form that it must not have";
    default:
      return sayLimit(keyword, params["limit"]) ?? message ?? "is not valid";
  }
}

const LEAST = "must have at least";
const MOST = "must have at most";
const LIMITS: Readonly<Record<string, readonly [says: string, one: string, many: string]>> = {
  minLength: [LEAST, "character", "characters"],
  maxLength: [MOST, "character", "characters"],
  minItems: [LEAST, "entry", "entries"],
  maxItems: [MOST, "entry", "entries"],
  minProperties: [LEAST, "field", "fields"],
  maxProperties: [MOST, "field", "fields"],
  minimum: ["must be at least", "", ""],
  maximum: ["must be at most", "", ""],
  exclusiveMinimum: ["must be more than", "", ""],
  exclusiveMaximum: ["must be less than", "", ""],
};

function sayLimit(keyword: string, limit: unknown): string | undefined {
  if (!Object.hasOwn(LIMITS, keyword) || typeof limit !== "number") return undefined;
  const [says, one, many] = LIMITS[keyword]!;
  if (limit === 1 && (keyword === "minLength" || keyword === "minItems")) return "must not be empty";
  return `${says} ${limit} ${limit === 1 ? one : many}`.trimEnd();
}

const VALUES_LISTED_MAX = 50;
const VALUE_CHARS_MAX = 1_000;

/** The values listed in the schema, shortened to a readable length. */
function listed(values: readonly unknown[]): string {
  const words = shortened(values.slice(0, VALUES_LISTED_MAX).map(shown).join(", "));
  return values.length > VALUES_LISTED_MAX ? `${words}, …` : words;
}

/** Written as JSON, because an object may have a member `toString`. */
function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function shortened(text: string): string {
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text;
}

function typeWords(type: unknown): string {
  const types = Array.isArray(type) ? type.map(String) : [String(type)];
  return types.map((name) => (name === "null" ? "null" : `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`)).join(" or ");
}
