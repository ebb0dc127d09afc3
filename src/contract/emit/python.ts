import type { ArrayShape, Literal, ObjectShape, PropertyShape, SchemaType, Shape } from "./shape.ts";
import type { SchemaReader } from "./read-schemas.ts";
import { namedTypes, readForUse, STYLES, type NamedType, type Style, type TypeModule } from "./type-module.ts";
import { createNames, isPythonName } from "./type-names.ts";
import { linesOf } from "./typescript.ts";

const TYPING = "Dict List Literal Mapping NoReturn Sequence TypedDict Union".split(" ");
const RESERVED = [...TYPING, ..."Any Optional Exception Iterable Iterator Callable".split(" ")];

export interface PythonTypes extends TypeModule {
  /** The names of `typing` that the text needs. */
  imports(): readonly string[];
}

/** Types for Python 3.9 and later. The text assumes `from __future__ import annotations`, and `imports()` of `typing`. */
export function createPythonTypes(): PythonTypes {
  const claim = createNames(RESERVED);
  const declarations: string[] = [];
  const text = () => declarations.map((declaration) => `${declaration}\n`).join("\n\n");
  return {
    add(name, schema, use) {
      const claimed = claim(name);
      declarations.push(...declarePython(readForUse(schema), claimed, claim, STYLES[use]));
      return claimed;
    },
    text,
    imports: () => {
      const all = text();
      return TYPING.filter((name) => new RegExp(`\\b${name}\\b`).test(all));
    },
  };
}

/** The declarations of a type and of the types below it, so that each stands before what uses it if that is possible. */
export function declarePython(
  reader: SchemaReader,
  name: string,
  claim: (name: string) => string,
  style: Style,
): readonly string[] {
  const named = namedTypes(reader, name, claim, (shape) =>
    shape.objects.some(({ properties, rest }) => properties.length > 0 || rest === null),
  );
  const writer = createWriter(reader, named, claim, style);
  writer.declare(named.get(reader.root.key)!);
  return writer.declarations;
}

function createWriter(
  reader: SchemaReader,
  named: ReadonlyMap<string, NamedType>,
  claim: (name: string) => string,
  style: Style,
) {
  const declarations: string[] = [];
  const begun = new Set<string>();
  const declared = new Set<string>();

  /** A name is quoted where it is evaluated before its declaration. */
  function typeText(type: SchemaType): string {
    const known = named.get(type.key);
    if (known === undefined) return shapeText(reader.shapeOf(type), "", false);
    declare(known);
    return declared.has(known.name) ? known.name : `"${known.name}"`;
  }

  function declare({ type, name }: NamedType): void {
    if (begun.has(name)) return;
    begun.add(name);
    const shape = reader.shapeOf(type);
    const isRoot = type === reader.root;
    const dropsUndeclared = isRoot && style.dropsUndeclared;
    const [object] = shape.objects;
    if (object !== undefined && isClass(shape, dropsUndeclared)) declareClass(name, object);
    else declarations.push(`${name} = ${aliasText(shapeText(shape, name, dropsUndeclared))}`);
    declared.add(name);
  }

  /** Whether a type is one class and nothing else. */
  function isClass(shape: Shape, dropsUndeclared: boolean): boolean {
    const { isUnknown, kinds, literals, arrays, objects } = shape;
    const isObject = !isUnknown && kinds.size + literals.length + arrays.length === 0 && objects.length === 1;
    return isObject && isTypedDict(objects[0]!, dropsUndeclared) && !alsoTakesOthers(objects[0]!, dropsUndeclared);
  }

  function shapeText(shape: Shape, name: string, dropsUndeclared: boolean): string {
    const { isUnknown, kinds, literals, arrays, objects } = shape;
    if (isUnknown) return "object";
    const parts = [
      ...objects.flatMap((object, at) => objectTexts(object, name, at, objects.length, dropsUndeclared)),
      ...arrays.map(arrayText),
      ...[...kinds].filter((kind) => kind !== "null").map((kind) => PYTHON_KINDS[kind]),
      ...literalTexts(literals),
      ...(kinds.has("null") ? ["None"] : []),
    ];
    const texts = [...new Set(parts)];
    if (texts.length === 0) return NOTHING;
    return texts.length === 1 ? texts[0]! : `Union[${texts.join(", ")}]`;
  }

  function objectTexts(
    object: ObjectShape,
    name: string,
    at: number,
    count: number,
    dropsUndeclared: boolean,
  ): readonly string[] {
    const { properties, rest } = object;
    if (!isTypedDict(object, dropsUndeclared)) {
      const member = properties.length > 0 || rest === null ? "object" : typeText(rest);
      return [`${style.isRead ? "Dict" : "Mapping"}[str, ${member}]`];
    }
    const ownName = claim(`${name}${count > 1 ? `Option${at + 1}` : "Object"}`);
    declareClass(ownName, object);
    return alsoTakesOthers(object, dropsUndeclared) ? [ownName, "Mapping[str, object]"] : [ownName];
  }

  function isTypedDict({ properties, rest }: ObjectShape, dropsUndeclared: boolean): boolean {
    // A field of a TypedDict has a name.
    return !properties.some(({ name }) => name === "") && (properties.length > 0 || rest === null || dropsUndeclared);
  }

  /** A TypedDict has no members without a name. */
  function alsoTakesOthers({ properties, rest, isRestDeclared }: ObjectShape, dropsUndeclared: boolean): boolean {
    if (properties.length === 0 || rest === null || dropsUndeclared) return false;
    return style.isOpen || (isRestDeclared && !style.isRead);
  }

  function arrayText({ prefix, rest }: ArrayShape): string {
    const entries = rest === null ? prefix : [...prefix, rest];
    const texts = [...new Set(entries.map(typeText))];
    const isUnknown = texts.includes("object");
    const entry = isUnknown ? "object" : texts.length > 1 ? `Union[${texts.join(", ")}]` : (texts[0] ?? NOTHING);
    return `${style.isRead ? "List" : "Sequence"}[${entry}]`;
  }

  function declareClass(name: string, { properties }: ObjectShape): void {
    const parts = [true, false].map((isRequired) =>
      properties.filter((property) => property.isRequired === isRequired),
    );
    const [required, optional] = parts as [PropertyShape[], PropertyShape[]];
    // Evaluated first, so that what a field needs stands before the class.
    const types = new Map(properties.map(({ name, type }) => [name, typeText(type)]));
    declared.add(name);
    if (required.length === 0 && optional.length === 0) declarations.push(`class ${name}(TypedDict):\n    pass`);
    else if (required.length === 0) declareFields(name, "TypedDict", optional, types, false);
    else if (optional.length === 0) declareFields(name, "TypedDict", required, types, true);
    else {
      const base = claim(`${name}Required`);
      declareFields(base, "TypedDict", required, types, true);
      if (canBeClass(optional, types)) return declareFields(name, base, optional, types, false);
      const other = claim(`${name}Optional`);
      declareFields(other, "TypedDict", optional, types, false);
      declarations.push(`class ${name}(${base}, ${other}):\n    pass`);
    }
  }

  function declareFields(
    name: string,
    base: string,
    properties: readonly PropertyShape[],
    types: ReadonlyMap<string, string>,
    isTotal: boolean,
  ): void {
    const total = isTotal ? "" : ", total=False";
    if (canBeClass(properties, types)) {
      const fields = properties.map(
        (property) => `    ${property.name}: ${types.get(property.name)!}\n${docString(commentOf(property), "    ")}`,
      );
      declarations.push(`class ${name}(${base}${total}):\n${fields.join("")}`.trimEnd());
      return;
    }
    const fields = properties.map(
      (property) =>
        `${commentLines(commentOf(property))}        ${pythonLiteral(property.name)}: ${types.get(property.name)!},\n`,
    );
    declarations.push(
      `${name} = TypedDict(\n    "${name}",\n    {\n${fields.join("")}    },\n${isTotal ? "" : "    total=False,\n"})`,
    );
  }

  return { declare, declarations };
}

/** What no value has. */
const NOTHING = "NoReturn";
const PYTHON_KINDS = { boolean: "bool", integer: "int", number: "float", string: "str" } as const;

/** Fractions have no literal types. */
function literalTexts(literals: readonly Literal[]): readonly string[] {
  const isExact = (literal: Literal) => typeof literal !== "number" || Number.isSafeInteger(literal);
  const exact = literals.filter(isExact).map(pythonLiteral);
  const others = exact.length < literals.length ? ["float"] : [];
  return exact.length === 0 ? others : [`Literal[${exact.join(", ")}]`, ...others];
}

/** In a class, a field hides the type of its name from the fields below it. */
function canBeClass(properties: readonly PropertyShape[], types: ReadonlyMap<string, string>): boolean {
  const used = new Set([...types.values()].flatMap((text) => text.match(/\w+/g) ?? []));
  return properties.every(({ name }) => isPythonName(name) && !used.has(name));
}

/** `None` alone would be a value and not a type. */
function aliasText(text: string): string {
  return text === "None" ? "Literal[None]" : text;
}

function commentOf({ comment, isDeprecated }: PropertyShape): string {
  return isDeprecated ? `${comment}\nDeprecated.`.trim() : comment;
}

function commentLines(text: string): string {
  return linesOf(text)
    .map((line) => `        #: ${line}`.trimEnd() + "\n")
    .join("");
}

/** A documentation string that is safe for any text, with its line break; empty for an empty text. */
export function docString(text: string, indent = ""): string {
  const lines = linesOf(text).map((line) => line.replaceAll("\\", "\\\\").replaceAll('"', String.raw`\"`));
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}"""${lines[0]}"""\n`;
  return `${indent}"""\n${lines.map((line) => `${indent}${line}`.trimEnd()).join("\n")}\n${indent}"""\n`;
}

/** A literal type, or the quoted name of a field. */
export function pythonLiteral(value: string | number | boolean | null): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return Object.is(value, -0) ? "0" : JSON.stringify(value);
}
