/** One field that a schema describes, as a row of a table. */
export interface FieldRow {
  /** Names of nested fields are joined by dots; items of a list have `[]`. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Title and description; empty if there is none. */
  readonly title: string;
  readonly says: string;
  readonly examples: readonly unknown[];
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly dependentSchemas?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** The fields of an object, including nested ones, in the order of the schema. */
export function fieldsOf(schema: object, prefix = ""): FieldRow[] {
  const rows: FieldRow[] = [];
  for (const [name, { schema: property, required }] of propertiesOf(schema as Schema)) {
    const path = `${prefix}${name}`;
    rows.push({
      name: path,
      type: typeOf(property),
      required,
      title: property.title ?? "",
      says: property.description ?? "",
      examples: property.examples ?? [],
    });
    const nested = objectIn(property);
    const items = property.items === undefined ? undefined : objectIn(property.items);
    if (nested !== undefined) rows.push(...fieldsOf(nested, `${path}.`));
    else if (items !== undefined) rows.push(...fieldsOf(items, `${path}[].`));
  }
  return rows;
}

/** Whether a field is required: always, in some cases, or never. */
export function needOf({ name, required }: Pick<FieldRow, "name" | "required">, schema: object): FieldNeed {
  if (required) return "yes";
  return isDemandedByABranch(name, schema) ? "depends" : "no";
}

export const FIELD_NEEDS = ["yes", "depends", "no"] as const;
export type FieldNeed = (typeof FIELD_NEEDS)[number];

/** Whether a branch of the schema requires a field, not the object's own `required`. */
function isDemandedByABranch(name: string, schema: object): boolean {
  const { anyOf, oneOf, allOf, then, else: otherwise, dependentSchemas } = schema as Schema;
  const several = [anyOf, oneOf, allOf, Object.values(dependentSchemas ?? {})].flatMap((branches) => branches ?? []);
  return [...several, then, otherwise].some(
    (branch) => branch !== undefined && (branch.required?.includes(name) === true || isDemandedByABranch(name, branch)),
  );
}

interface Property {
  readonly schema: Schema;
  readonly required: boolean;
}

/** The properties of an object, including those of its branches; the first description of a name applies. */
function propertiesOf(schema: Schema): Map<string, Property> {
  const found = new Map<string, Property>();
  const visit = (branch: Schema | undefined, isRoot: boolean): void => {
    if (branch === undefined || typeof branch !== "object") return;
    for (const [name, property] of Object.entries(branch.properties ?? {})) {
      if (!found.has(name)) {
        found.set(name, { schema: property, required: isRoot && branch.required?.includes(name) === true });
      }
    }
    const several = [branch.allOf, branch.anyOf, branch.oneOf, Object.values(branch.dependentSchemas ?? {})];
    for (const inner of several.flatMap((branches) => branches ?? [])) visit(inner, false);
    for (const inner of [branch.if, branch.then, branch.else]) visit(inner, false);
  };
  visit(schema, true);
  return found;
}

/** The alternative of a value that is an object with fields. */
function objectIn(schema: Schema): Schema | undefined {
  const candidates = [schema, ...(schema.anyOf ?? schema.oneOf ?? [])];
  return candidates.find(({ properties }) => properties !== undefined && Object.keys(properties).length > 0);
}

export function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return enumeration(schema.enum);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeOf))].join(" or ");
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  if (schema.type === "array") return `list of ${plural(schema.items === undefined ? "any" : typeOf(schema.items))}`;
  const type = (schema.type as string | undefined) ?? "any";
  const bounds = boundsOf(schema);
  return [schema.format === undefined ? type : `${type} (${schema.format})`, bounds].filter(Boolean).join(", ");
}

const SHOWN_MAX = 12;

function enumeration(values: readonly unknown[]): string {
  const shown = values.slice(0, SHOWN_MAX).map((value) => JSON.stringify(value));
  return values.length > SHOWN_MAX ? `${shown.join(", ")}, … (${values.length} in all)` : `one of ${shown.join(", ")}`;
}

function plural(type: string): string {
  return /^(string|object|number|integer|boolean)$/.test(type) ? `${type}s` : type;
}

function boundsOf({ minimum, maximum, minLength, maxLength }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `at least ${minimum}`;
  if (minLength !== undefined && maxLength !== undefined) return `${minLength} to ${maxLength} characters`;
  return maxLength === undefined ? "" : `at most ${maxLength} characters`;
}
