import { fieldsOf, type Problems, type SchemaField } from "../../parts/form-fields.ts";

/** The inputs of one source. */
interface Reader {
  readonly source: string;
  /** JSON Schema of the inputs. */
  readonly inputs: unknown;
}

/** One field for a name that one or several sources read, with these sources. */
export interface SharedField extends SchemaField {
  readonly readBy: readonly string[];
  /** The sources that require the field. */
  readonly requiredBy: readonly string[];
}

/** Merges the inputs of several sources. Fields that a source requires come first. */
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

/** Name of the field for all inputs. Names of inputs contain no space. */
const WHOLE = "all inputs";

/** One field for the complete inputs, for a function that declares none. */
export function wholeOf(reader: string): SharedField {
  return {
    name: WHOLE,
    label: "Inputs",
    kind: "json",
    isSecret: false,
    isRequired: false,
    description: "The function declares no inputs and receives this object unchanged.",
    examples: [],
    choices: [],
    format: undefined,
    default: undefined,
    schema: { type: "object" },
    readBy: [reader],
    requiredBy: [],
  };
}

/** The inputs to send, from the values of the fields. */
export function inputsOf({
  [WHOLE]: whole,
  ...named
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...(whole as object | undefined), ...named };
}

/** Inputs as values of the fields. */
export function asFields(
  inputs: Readonly<Record<string, unknown>>,
  fields: readonly SchemaField[],
): Readonly<Record<string, unknown>> {
  return fields.some(({ name }) => name === WHOLE) ? { [WHOLE]: inputs } : inputs;
}

/** Merges two descriptions of a field: the second fills the gaps of the first. */
function join(known: SharedField, other: SchemaField): SchemaField {
  const choices = [...new Set([...known.choices, ...other.choices])];
  const allowed = { enum: [...valuesOf(known), ...valuesOf(other)] };
  // A field that is a choice for one source and free text for another is shown as text.
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

/** The objections of one source to the inputs. */
export interface Refusal {
  readonly source: string;
  readonly path: string;
  readonly message: string;
}

/** Assigns refusals to the fields that they are about. The others are about the inputs as a whole. */
export function assignRefusals(
  refusals: readonly Refusal[],
  readers: readonly Reader[],
): { readonly problems: Problems; readonly elsewhere: readonly string[] } {
  const fields = new Map(unionOfInputs(readers).map((field) => [field.name, field]));
  /** The sources by field and message. */
  const sourcesByMessage = new Map<string, Map<string, string[]>>();
  const elsewhere: string[] = [];
  for (const { source, path, message } of refusals) {
    const [, name = "", ...below] = path.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (!fields.has(name)) {
      const forms = path === "" ? formsOf(readers.find((one) => one.source === source)?.inputs) : null;
      elsewhere.push(`${source} ${forms ?? `says of ${path === "" ? "the inputs" : name}: ${message}`}`);
      continue;
    }
    const messages = sourcesByMessage.get(name) ?? new Map<string, string[]>();
    const says = [...below, message].join(" ");
    messages.set(says, [...(messages.get(says) ?? []), source]);
    sourcesByMessage.set(name, messages);
  }
  const problems = [...sourcesByMessage].map(([name, messages]) => {
    const all = fields.get(name)!.readBy.length;
    // The sources are named unless all readers of the field agree.
    const sentences = [...messages].map(([says, by]) => (by.length === all ? says : `${says} (${by.join(", ")})`));
    return [name, sentences.join("; ")] as const;
  });
  return { problems: Object.fromEntries(problems), elsewhere };
}

/** For a source with alternative inputs: the fields that each alternative needs. */
function formsOf(schema: unknown): string | null {
  const { anyOf, oneOf } = Object(schema) as { readonly anyOf?: unknown; readonly oneOf?: unknown };
  const forms = (Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : []) as readonly {
    readonly required?: unknown;
  }[];
  const wanted = forms.map(({ required }) => (Array.isArray(required) ? (required as string[]).join(" and ") : ""));
  return wanted.length === 0 || wanted.includes("") ? null : `needs ${wanted.join(", or ")}.`;
}

/** Fills empty fields with examples. The first source with an example for a field provides it. */
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
