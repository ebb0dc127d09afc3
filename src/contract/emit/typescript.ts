import type { ArrayShape, ObjectShape, PropertyShape, SchemaType, Shape } from "./shape.ts";
import type { SchemaReader } from "./read-schemas.ts";
import { namedTypes, readForUse, STYLES, type NamedType, type Style, type TypeModule } from "./type-module.ts";
import { createNames, isTypeScriptName } from "./type-names.ts";

const RESERVED =
  "Array ReadonlyArray Record Partial Readonly Promise Object String Number Boolean Symbol Function Date Error".split(
    " ",
  );

/** Types in TypeScript. The text needs no imports. */
export function createTypeScriptTypes(): TypeModule {
  const claim = createNames(RESERVED);
  const declarations: string[] = [];
  return {
    add(name, schema, use) {
      const claimed = claim(name);
      declarations.push(...declareTypeScript(readForUse(schema), claimed, claim, STYLES[use]));
      return claimed;
    },
    text: () => declarations.map((declaration) => `${declaration}\n`).join("\n"),
  };
}

/** The declarations of a type and of the types below it that need a name. */
export function declareTypeScript(
  reader: SchemaReader,
  name: string,
  claim: (name: string) => string,
  style: Style,
): readonly string[] {
  const named = namedTypes(reader, name, claim, (shape, { isShared, isDefinition }) => {
    const isLarge = shape.objects.some(({ properties }) => properties.length > 0);
    return isLarge && (isShared || isDefinition);
  });
  const { root } = reader;
  const writer = createWriter(reader, named, style);
  const others = [...named.values()].filter(({ type }) => type !== root);
  return [
    `export type ${name} = ${writer.shape(reader.shapeOf(root), style.dropsUndeclared)};`,
    ...others.map(({ type, name }) => `export type ${name} = ${writer.shape(reader.shapeOf(type), false)};`),
  ];
}

function createWriter(reader: SchemaReader, named: ReadonlyMap<string, NamedType>, style: Style) {
  const array = style.isRead ? "Array" : "ReadonlyArray";

  function typeText(type: SchemaType): string {
    return named.get(type.key)?.name ?? shapeText(reader.shapeOf(type), false);
  }

  function shapeText({ isUnknown, kinds, literals, arrays, objects }: Shape, dropsUndeclared: boolean): string {
    if (isUnknown) return "unknown";
    const parts = [
      ...objects.map((object) => objectText(object, dropsUndeclared)),
      ...arrays.map(arrayText),
      ...[...kinds].map((kind) => (kind === "integer" ? "number" : kind)).filter((kind) => kind !== "null"),
      ...literals.map(typeScriptLiteral),
      ...(kinds.has("null") ? ["null"] : []),
    ];
    return parts.length === 0 ? "never" : [...new Set(parts)].join(" | ");
  }

  function arrayText({ prefix, min, rest }: ArrayShape): string {
    const further = rest === null ? null : typeText(rest);
    if (prefix.length === 0) return further === null ? (style.isRead ? "[]" : "readonly []") : listOf(further);
    const entries = prefix.map((entry, at) => (at < min ? typeText(entry) : optional(typeText(entry))));
    if (further !== null) entries.push(`...${listOf(further)}`);
    return `${style.isRead ? "" : "readonly "}[${entries.join(", ")}]`;
  }

  function listOf(entry: string): string {
    if (!/^\w+$/.test(entry)) return `${array}<${entry}>`;
    return style.isRead ? `${entry}[]` : `readonly ${entry}[]`;
  }

  function objectText({ properties, rest, isRestDeclared }: ObjectShape, dropsUndeclared: boolean): string {
    if (properties.length === 0 && dropsUndeclared) return "Record<never, never>";
    if (properties.length === 0) return `{ [name: string]: ${rest === null ? "never" : typeText(rest)} }`;
    const lines = properties.map((property) => ({ property, text: propertyText(property) }));
    const members = lines.map(({ property, text }) => indented(commentOf(property) + head(property) + text + ";"));
    const restText = rest === null || dropsUndeclared ? null : typeText(rest);
    // A reader has no use for members of which nothing is known, and they would hide a misspelled name.
    const isShown =
      restText !== null && (style.isOpen || (isRestDeclared && !(style.isRead && restText === "unknown")));
    if (isShown) members.push(`  [name: string]: ${indexText(restText, lines)};`);
    return `{\n${members.join("\n")}\n}`;
  }

  function head({ name, isRequired }: PropertyShape): string {
    return `${isTypeScriptName(name) ? name : typeScriptLiteral(name)}${isRequired ? "" : "?"}: `;
  }

  function propertyText({ name, type, isRequired }: PropertyShape): string {
    // Every object seems to have a member of this name, of another type.
    const text = INHERITED.has(name) ? "unknown" : typeText(type);
    return isRequired || style.isRead || text === "unknown" ? text : `${text} | undefined`;
  }

  /** An index signature has to fit the named members as well. */
  function indexText(
    rest: string,
    lines: readonly { readonly property: PropertyShape; readonly text: string }[],
  ): string {
    const texts = new Set([rest, ...lines.map(({ text }) => text)]);
    if (texts.has("unknown")) return "unknown";
    const isOptional = lines.some(({ property }) => !property.isRequired);
    return [...texts, ...(isOptional ? ["undefined"] : [])].join(" | ");
  }

  return { shape: shapeText };
}

const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype));

function optional(text: string): string {
  return / \| |^readonly /.test(text) ? `(${text})?` : `${text}?`;
}

function commentOf({ comment, isDeprecated }: PropertyShape): string {
  return docComment(isDeprecated ? `${comment}\n@deprecated`.trim() : comment);
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

/** A comment that is safe for any text, with its line break; empty for an empty text. */
export function docComment(text: string, indent = ""): string {
  const lines = linesOf(text).map((line) => line.replaceAll("*/", "*\\/"));
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** The lines of a text, without characters that are not shown. */
export function linesOf(text: string): readonly string[] {
  const lines = text
    .toWellFormed()
    .trim()
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    // oxlint-disable-next-line no-control-regex -- they are what is replaced
    .map((line) => line.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, " ").trimEnd());
  return lines.length === 1 && lines[0] === "" ? [] : lines;
}

/** A literal type, or the quoted name of a property. */
export function typeScriptLiteral(value: string | number | boolean | null): string {
  if (typeof value === "number" && Object.is(value, -0)) return "0";
  return JSON.stringify(value)
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);
}
