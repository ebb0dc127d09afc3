import { createBoundedSchemas, type BoundedCheck } from "../../../terms/schema/author-schemas.ts";
import { isLargeSchema } from "../../../terms/schema/schema-parts.ts";
import type { Json, JsonObject } from "../../../terms/json/json.ts";
import { formatProblem, type FormatProblem } from "./format-problem.ts";
import { publishedSchema, type SourceDeclarationFile } from "./format.ts";
import { schemaProblem } from "../../schema-language.ts";
import { didYouMean } from "../../../terms/text/nearest.ts";
import type { DocumentLocation } from "./read-document.ts";

const FORMAT = publishedSchema() as JsonObject;

/** Keys of other tools for sources with several requests, and their equivalents here. */
const MEANT: readonly (readonly [words: string, hint: string])[] = [
  ["step requests then next sequence", "write steps: [{name: order, request: {…}}, …] in place of request"],
  [
    "poll polling polls wait wait_for until",
    "it belongs to a step: steps: [{name: report, free: true, request: {…}, poll: {until: …}}]",
  ],
  [
    "pages paging paginate pagination repeat",
    "it belongs to a step: steps: [{name: list, request: {…, query: {cursor: '{{ steps.list.body.next }}'}}, repeat: {while: body.next, max: 8}}]",
  ],
];

/** Checks a document against the format and reports the first problem with its position. @throws DeclarationError */
export function checkFormat(value: Json, root: DocumentLocation): SourceDeclarationFile {
  const problem = formatProblem(FORMAT, value, [], FORMAT);
  if (problem !== null) refuse(problem, valueAt(value, problem.path), root);
  return value as unknown as SourceDeclarationFile;
}

/** The first problem in a list of cases from a separate file, as a sentence; `null` if there is none. */
export function casesProblem(cases: Json): string | null {
  const found = formatProblem((FORMAT["properties"] as JsonObject)["cases"] as JsonObject, cases, [], FORMAT);
  if (found === null) return null;
  const { code, path, says, known } = found;
  const name = (steps: FormatProblem["path"]) => (steps.length === 0 ? "the list" : nameOfCase(steps));
  if (code === "format.value") return `${path.length === 0 ? "the file" : nameOfCase(path)} ${says}`;
  if (code === "format.missing_key") return `${name(path)} needs the key "${says}"`;
  return `unknown key "${says}" in ${name(path.slice(0, -1))} (${didYouMean(says, known) ?? `known are ${known.join(", ")}`})`;
}

function nameOfCase([index, ...path]: readonly (string | number)[]): string {
  const name = `case ${Number(index) + 1}`;
  return path.length === 0 ? name : `"${path.join(".")}" of ${name}`;
}

function refuse(
  { code, path, says, known, description }: FormatProblem,
  written: unknown,
  root: DocumentLocation,
): never {
  const place = root.in(...path);
  if (path.length === 1 && path[0] === "request" && Array.isArray(written)) {
    return place.refuse(code, `"request" must be one request`, MEANT[0]![1]);
  }
  if (code === "format.value") {
    const hint = (typeof written === "string" ? didYouMean(written, known) : undefined) ?? description;
    return place.refuse(code, `${nameOf(path)} ${says}`, hint);
  }
  if (code === "format.missing_key") return place.refuseKey(code, `${nameOf(path)} needs the key "${says}"`);
  const meant = MEANT.find(([words]) => words.split(" ").includes(says))?.[1];
  const hint = meant ?? didYouMean(says, known) ?? `known are ${known.join(", ")}`;
  return place.refuseKey(code, `unknown key "${says}" in ${nameOf(path.slice(0, -1))}`, hint);
}

function nameOf(path: readonly (string | number)[]): string {
  return path.length === 0 ? "a source" : `"${path.join(".")}"`;
}

/** The value at a path; for an object its `kind`, which distinguishes alternatives. */
function valueAt(document: Json, path: readonly (string | number)[]): unknown {
  let value: unknown = document;
  for (const step of path) value = (value as Readonly<Record<string | number, unknown>> | undefined)?.[step];
  return typeof value === "object" && value !== null && "kind" in value ? value.kind : value;
}

/** Compiles only schemas that have been checked. */
const bounded = createBoundedSchemas();

/**
 * Refuses schemas that are not JSON Schema 2020-12, and patterns of unbounded cost; unknown keywords count as
 * annotations. @throws DeclarationError
 */
export function checkAuthorSchema(schema: object, place: DocumentLocation): void {
  const wrong = schemaProblem(schema);
  if (wrong === null) return;
  const { path, isPattern, message } = wrong;
  const problem = isPattern ? message : `this is not a valid JSON Schema: it ${message}`;
  place.in(...path).refuse("schema.invalid", problem);
}

/** Compiles an author's checked schema on first use, but a large one immediately. */
export function compileWhenNeeded(schema: object): () => BoundedCheck {
  let compiled = isLargeSchema(schema) ? bounded.compile(schema) : undefined;
  return () => (compiled ??= bounded.compile(schema));
}
