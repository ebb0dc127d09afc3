/** One field of a form, made from one property of a flat JSON Schema. */
export interface SchemaField {
  readonly name: string;
  /** The title in the schema, or the name as words. */
  readonly label: string;
  readonly kind: "text" | "lines" | "number" | "boolean" | "choice" | "json";
  /** True for `writeOnly`: the value can be entered and is never shown. */
  readonly isSecret: boolean;
  /** Whether every form of the object requires the field. */
  readonly isRequired: boolean;
  readonly description: string | undefined;
  /** Examples as the field would show them. */
  readonly examples: readonly string[];
  /** For `kind: "choice"`: the values as texts, in the order of the schema. */
  readonly choices: readonly string[];
  /** The format of a text, such as `email` or `date`. */
  readonly format: string | undefined;
  readonly default: string | undefined;
  readonly schema: JsonSchema;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** The texts in the fields, by name. A field with an empty text has no value. */
export type Texts = Readonly<Record<string, string>>;
/** Problems by the name of the field. */
export type Problems = Readonly<Record<string, string>>;

/**
 * The fields for an object schema: its own properties, and those of its variants (`anyOf`, `oneOf`, `allOf`, `then`).
 * References within the schema are resolved.
 */
export function fieldsOf(schema: unknown): readonly SchemaField[] {
  const fields = new Map<string, Omit<SchemaField, "isRequired">>();
  const required = new Set<unknown>();
  visitBranches(schema, (branch, isAlways) => {
    if (isAlways) for (const name of asList(branch["required"])) required.add(name);
    for (const [name, property] of Object.entries(asObject(branch["properties"]) ?? {})) {
      const known = fields.get(name);
      // A variant often repeats a name only to require it, so the schema with more keywords describes the field.
      if (known === undefined || Object.keys(asObject(property) ?? {}).length > Object.keys(known.schema).length)
        fields.set(name, toField(name, resolve(property, schema) ?? {}));
    }
  });
  return [...fields.values()].map((field) => ({ ...field, isRequired: required.has(field.name) }));
}

function visitBranches(root: unknown, visit: (branch: JsonSchema, isAlways: boolean) => void): void {
  const seen = new Set<unknown>();
  function go(value: unknown, isAlways: boolean): void {
    const branch = asObject(value);
    if (branch === undefined || seen.has(branch)) return;
    seen.add(branch);
    visit(branch, isAlways);
    for (const part of asList(branch["allOf"])) go(part, isAlways);
    for (const part of [...asList(branch["anyOf"]), ...asList(branch["oneOf"])]) go(part, false);
    for (const keyword of ["if", "then", "else"]) go(branch[keyword], false);
    if (branch["$ref"] !== undefined) go(resolve(branch, root), isAlways);
  }
  go(root, true);
}

function toField(name: string, schema: JsonSchema): Omit<SchemaField, "isRequired"> {
  const { title, description, format } = schema;
  const examples = [
    ...asList(schema["examples"]),
    ...asList(schema["example"] === undefined ? [] : [schema["example"]]),
  ];
  const choices = "const" in schema ? [schema["const"]] : asList(schema["enum"]);
  return {
    name,
    label: typeof title === "string" ? title : inWords(name),
    kind: kindOf(schema, choices, examples),
    isSecret: schema["writeOnly"] === true || format === "password",
    description: typeof description === "string" ? description : undefined,
    examples: examples.map(toText),
    choices: choices.map(toText),
    format: typeof format === "string" ? format : undefined,
    default: schema["default"] === undefined ? undefined : toText(schema["default"]),
    schema,
  };
}

function kindOf(schema: JsonSchema, choices: readonly unknown[], examples: readonly unknown[]): SchemaField["kind"] {
  if (choices.length > 0) return "choice";
  const types = asList(schema["type"] === undefined ? [] : [schema["type"]].flat());
  if (types.includes("string")) return isSeveralLines(schema, examples) ? "lines" : "text";
  if (types.includes("boolean")) return "boolean";
  if (types.some((type) => type === "number" || type === "integer")) return "number";
  if (types.length > 0) return "json";
  // A schema without `type` but with a keyword for strings, such as `pattern`, describes a text.
  return "pattern" in schema || "minLength" in schema || "maxLength" in schema || "format" in schema ? "text" : "json";
}

/** A PEM key or certificate becomes invalid if its lines are joined. */
function isSeveralLines({ description }: JsonSchema, examples: readonly unknown[]): boolean {
  const isPem = typeof description === "string" && /\bPEM\b/.test(description);
  return isPem || examples.some((example) => typeof example === "string" && example.includes("\n"));
}

/** Parses the texts into one JSON object without the empty fields, and collects the problems. */
export function readTexts(
  fields: readonly SchemaField[],
  texts: Texts,
): { readonly values: Readonly<Record<string, unknown>>; readonly problems: Problems } {
  const values: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = texts[field.name] ?? "";
    if (text.trim() === "") continue;
    const read = readText(field, text);
    if ("problem" in read) problems[field.name] = read.problem;
    else values[field.name] = read.value;
  }
  return { values, problems };
}

function readText(field: SchemaField, text: string): { readonly value: unknown } | { readonly problem: string } {
  switch (field.kind) {
    case "text":
    case "lines":
      return { value: text };
    case "choice": {
      const choices = "const" in field.schema ? [field.schema["const"]] : asList(field.schema["enum"]);
      const at = field.choices.indexOf(text);
      return at === -1 ? { problem: "is not one of the allowed values" } : { value: choices[at] };
    }
    case "boolean":
      return { value: text === "true" };
    case "number":
      return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text.trim())
        ? { value: Number(text) }
        : { problem: "must be a number, such as 12 or 0.5" };
    case "json":
      return readJson(text, asList([field.schema["type"]].flat()));
  }
}

function readJson(text: string, types: readonly unknown[]): { readonly value: unknown } | { readonly problem: string } {
  try {
    const value = JSON.parse(text) as unknown;
    const type = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
    const named = types.filter((one) => one === "array" || one === "object");
    if (named.length > 0 && !types.includes(type))
      return { problem: `must be ${named.map(words).join(" or ")} in JSON` };
    return { value };
  } catch (error) {
    return { problem: `is not JSON: ${(error as Error).message}` };
  }
}

function words(type: unknown): string {
  return type === "array" ? 'a list, such as ["one", "two"],' : 'an object, such as {"name": "value"},';
}

/** A value as the text in its field. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, typeof value === "object" ? 2 : 0);
}

/**
 * The problems of an error, by field. Their paths begin with `prefix`, such as `/fields`. Problems with other paths are
 * left in the error.
 */
export function problemsAt(
  error: { readonly problems: readonly { readonly path: string; readonly message: string }[] } | undefined,
  prefix: string,
): Problems {
  const found: Record<string, string> = {};
  for (const { path, message } of error?.problems ?? []) {
    if (!path.startsWith(`${prefix}/`)) continue;
    const [name, ...below] = path
      .slice(prefix.length + 1)
      .split("/")
      .map(unescapePointer);
    found[name!] ??= below.length === 0 ? message : `${below.join("/")} ${message}`;
  }
  return found;
}

function unescapePointer(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Abbreviations that field names contain, to be written in upper case. */
const ABBREVIATIONS = new Set("api bic dob iban id ip lei npi sic tin uri url vat vin zip".split(" "));

function inWords(name: string): string {
  const text = name
    .replace(/[_-]+/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .trim();
  const words = text.split(" ").map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase() : word));
  const label = words.join(" ");
  return label === "" ? name : label[0]!.toUpperCase() + label.slice(1);
}

function resolve(value: unknown, root: unknown): JsonSchema | undefined {
  const schema = asObject(value);
  const reference = schema?.["$ref"];
  if (typeof reference !== "string" || !reference.startsWith("#/")) return schema;
  let found: unknown = root;
  for (const step of reference.slice(2).split("/"))
    found = asObject(found)?.[unescapePointer(decodeURIComponent(step))];
  // Keywords beside a reference are added to the referenced schema.
  return { ...asObject(found), ...schema };
}

function asObject(value: unknown): JsonSchema | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonSchema) : undefined;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
