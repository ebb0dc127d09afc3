import { fieldsOf, type Problems, type SchemaField } from "../../parts/schema-fields.ts";

/** A source as far as its inputs go. */
export interface Reader {
  readonly source: string;
  /** The schema of its inputs. */
  readonly inputs: unknown;
}

/** One field for every name that any of the sources reads, and who reads it. */
export interface SharedField extends SchemaField {
  readonly readBy: readonly string[];
  /** Those that cannot do without it. */
  readonly requiredBy: readonly string[];
}

/** The fields that at least one source requires come first. */
export function unionOfInputs(readers: readonly Reader[]): readonly SharedField[] {
  const shared = new Map<string, SharedField>();
  for (const { source, inputs } of readers) {
    for (const field of fieldsOf(inputs)) {
      const known = shared.get(field.name);
      shared.set(field.name, {
        ...(known === undefined ? field : join(known, field)),
        readBy: [...(known?.readBy ?? []), source],
        requiredBy: [...(known?.requiredBy ?? []), ...(field.isRequired ? [source] : [])],
      });
    }
  }
  const all = [...shared.values()];
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)];
}

/** No input has such a name. */
const WHOLE = "all inputs";

/** In place of fields, for a function that declares none: it gets the object that is sent. */
export function wholeOf(reader: string): SharedField {
  return {
    name: WHOLE,
    label: "Inputs",
    kind: "json",
    isSecret: false,
    isRequired: false,
    description: "The function declares no inputs, and gets this object as it is.",
    examples: [],
    choices: [],
    format: undefined,
    default: undefined,
    schema: { type: "object" },
    readBy: [reader],
    requiredBy: [],
  };
}

/** What is sent of what the fields say. */
export function inputsOf({
  [WHOLE]: whole,
  ...named
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...(whole as object | undefined), ...named };
}

/** Inputs as the fields hold them. */
export function asFields(
  inputs: Readonly<Record<string, unknown>>,
  fields: readonly SchemaField[],
): Readonly<Record<string, unknown>> {
  return fields.some(({ name }) => name === WHOLE) ? { [WHOLE]: inputs } : inputs;
}

/** What one source does not say of a field, another may. */
function join(known: SharedField, other: SchemaField): SchemaField {
  const choices = [...new Set([...known.choices, ...other.choices])];
  const allowed = { enum: [...valuesOf(known), ...valuesOf(other)] };
  // A field that one source takes from a list and another as a text of its own is a text.
  const kind = known.kind === other.kind ? known.kind : [known.kind, other.kind].includes("text") ? "text" : known.kind;
  return {
    ...known,
    kind,
    choices,
    schema: kind === "choice" ? { ...known.schema, ...allowed } : known.schema,
    label: known.schema["title"] === undefined ? other.label : known.label,
    description: known.description ?? other.description,
    examples: [...new Set([...known.examples, ...other.examples])],
    format: known.format === other.format ? known.format : undefined,
    default: known.default === other.default ? known.default : undefined,
    isRequired: known.isRequired || other.isRequired,
    isSecret: known.isSecret || other.isSecret,
  };
}

function valuesOf({ kind, schema }: SchemaField): readonly unknown[] {
  if (kind !== "choice") return [];
  return "const" in schema ? [schema["const"]] : (schema["enum"] as unknown[]);
}

/** What a source says of the inputs that it would get. */
export interface Refusal {
  readonly source: string;
  readonly path: string;
  readonly message: string;
}

/** The refusals at the fields that they are about; the others are about the inputs as a whole. */
export function placeRefusals(
  refusals: readonly Refusal[],
  readers: readonly Reader[],
): { readonly problems: Problems; readonly elsewhere: readonly string[] } {
  const fields = new Map(unionOfInputs(readers).map((field) => [field.name, field]));
  /** By field and message: the sources that say so. */
  const said = new Map<string, Map<string, string[]>>();
  const elsewhere: string[] = [];
  for (const { source, path, message } of refusals) {
    const [, name = "", ...below] = path.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (!fields.has(name)) {
      const forms = path === "" ? formsOf(readers.find((one) => one.source === source)?.inputs) : null;
      elsewhere.push(`${source} ${forms ?? `says of ${path === "" ? "the inputs" : name}: ${message}`}`);
      continue;
    }
    const messages = said.get(name) ?? new Map<string, string[]>();
    const says = [...below, message].join(" ");
    messages.set(says, [...(messages.get(says) ?? []), source]);
    said.set(name, messages);
  }
  const problems = [...said].map(([name, messages]) => {
    const all = fields.get(name)!.readBy.length;
    // Who says so is of interest if not all who read the field do.
    const sentences = [...messages].map(([says, by]) => (by.length === all ? says : `${says} (${by.join(", ")})`));
    return [name, sentences.join("; ")] as const;
  });
  return { problems: Object.fromEntries(problems), elsewhere };
}

/** For a source that can be asked in several ways: what each takes. */
function formsOf(schema: unknown): string | null {
  const { anyOf, oneOf } = Object(schema) as { readonly anyOf?: unknown; readonly oneOf?: unknown };
  const forms = (Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : []) as readonly {
    readonly required?: unknown;
  }[];
  const wanted = forms.map(({ required }) => (Array.isArray(required) ? (required as string[]).join(" and ") : ""));
  return wanted.length === 0 || wanted.includes("") ? null : `needs ${wanted.join(", or ")}.`;
}

/** The examples of the sources for the fields that are empty. The first source that has one gives it. */
export function withExamples(
  texts: Readonly<Record<string, string>>,
  examples: readonly Readonly<Record<string, unknown>>[],
  toText: (value: unknown) => string,
): Readonly<Record<string, string>> {
  const filled: Record<string, string> = { ...texts };
  for (const example of examples) {
    for (const [name, value] of Object.entries(example)) {
      if ((filled[name] ?? "").trim() === "") filled[name] = toText(value);
    }
  }
  return filled;
}
