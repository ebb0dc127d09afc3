import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";
import { stepInto } from "../terms/json/json-pointer.ts";
import { KIND } from "./deployment-contract.ts";
import { type Direction, anyObject, resolve, SchemaComparison, schemaAt } from "./compare-schemas.ts";

/** A change with which a client of the earlier contract may fail. */
export interface BreakingChange {
  /** JSON pointer: into the earlier contract if something was removed, otherwise into the later one. */
  readonly path: string;
  readonly change: string;
}

/** The parts of a source or a function that have components of their own. */
const PARTS: readonly (readonly [part: string, direction: Direction])[] = [
  ["inputs", "request"],
  ["credentials", "request"],
  ["output", "response"],
];

/**
 * Compares two public contracts, with or without the sources of a deployment. Additions are not breaking: clients have
 * to ignore what they do not know. What a request may say must not shrink, and what a response says must stay.
 */
export function breakingChanges(before: JsonObject, after: JsonObject): readonly BreakingChange[] {
  const found = new Map<string, BreakingChange>();
  const report = (path: string, change: string) => void found.set(`${path} ${change}`, { path, change });
  const removed = compareDeclared(before, after, report);
  compareEach(before, after, "/paths", (path) => {
    report(path, "the path was removed");
  });
  const schemas = new SchemaComparison(before, after, report, removed);
  for (const operation of operationsIn(before)) {
    const later = at(after, operation);
    if (!isJsonObject(later)) {
      if (at(after, parentOf(operation)) !== undefined) report(operation, "the operation was removed");
      continue;
    }
    compareOperation({ before, after, schemas, report }, operation);
  }
  for (const id of declaredIn(before)) {
    if (removed.has(id)) continue;
    for (const [part, direction] of PARTS) {
      const path = `/components/schemas/${id}.${part}`;
      const [earlier, later] = [schemaAt(before, path), schemaAt(after, path)];
      if (earlier === null && later === null) continue;
      schemas.compare(earlier ?? anyObject(path), later ?? anyObject(path), direction, path);
    }
  }
  return [...found.values()];
}

type Report = (path: string, change: string) => void;

interface Compared {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly schemas: SchemaComparison;
  readonly report: Report;
}

/** The ids of sources and functions that a contract describes. */
function declaredIn(document: JsonObject): readonly string[] {
  const schemas = at(document, "/components/schemas");
  if (!isJsonObject(schemas)) return [];
  return Object.entries(schemas).flatMap(([name, schema]) => (kindOf(schema) !== null ? [name] : []));
}

function kindOf(schema: Json): string | null {
  const kind = isJsonObject(schema) ? schema[KIND] : undefined;
  return typeof kind === "string" ? kind : null;
}

/** Reports sources and functions that were removed, and returns their ids. */
function compareDeclared(before: JsonObject, after: JsonObject, report: Report): ReadonlySet<string> {
  const removed = new Set<string>();
  for (const id of declaredIn(before)) {
    const path = `/components/schemas/${id}`;
    const [earlier, later] = [at(before, path) as JsonObject, at(after, path)];
    if (!isJsonObject(later)) {
      report(path, `the ${kindOf(earlier)} was removed`);
      removed.add(id);
    } else if (earlier["x-datarun-credential"] !== "required" && later["x-datarun-credential"] === "required") {
      report(`${path}/x-datarun-credential`, "a credential is required now");
    }
  }
  return removed;
}

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options", "trace"];

function operationsIn(document: JsonObject): readonly string[] {
  const paths = at(document, "/paths");
  if (!isJsonObject(paths)) return [];
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => isJsonObject(item) && isJsonObject(item[method])).map((method) =>
      stepInto(stepInto("/paths", path), method),
    ),
  );
}

function compareOperation(compared: Compared, operation: string): void {
  const { before, after, report } = compared;
  compareParameters(compared, operation);
  const body = `${operation}/requestBody`;
  const [earlier, later] = [at(before, body), at(after, body)];
  if (isJsonObject(later) && later["required"] === true && !(isJsonObject(earlier) && earlier["required"] === true))
    report(body, "a body is required now");
  if (isJsonObject(earlier) && later === undefined) report(body, "the body was removed");
  compareContent(compared, body, "request");
  const responses = `${operation}/responses`;
  compareEach(before, after, responses, (path) => report(path, "the response was removed"));
  for (const response of namesAt(before, responses).map((status) => stepInto(responses, status))) {
    compareContent(compared, response, "response");
    const headers = `${response}/headers`;
    if (at(after, response) !== undefined)
      compareEach(before, after, headers, (path) => report(path, "the header was removed"));
  }
  const security = at(after, `${operation}/security`);
  for (const way of listAt(before, `${operation}/security`)) {
    const kept = Array.isArray(security) && security.some((one) => JSON.stringify(one) === JSON.stringify(way));
    const name = isJsonObject(way) ? Object.keys(way).join(" and ") || "none" : "";
    if (!kept) report(`${operation}/security`, `the access by ${name} was removed`);
  }
}

function compareContent({ before, after, schemas, report }: Compared, holder: string, direction: Direction): void {
  const content = `${holder}/content`;
  for (const type of namesAt(before, content)) {
    const path = stepInto(content, type);
    if (at(after, holder) === undefined) continue;
    if (at(after, path) === undefined) {
      report(path, "the media type was removed");
      continue;
    }
    const schema = `${path}/schema`;
    const [earlier, later] = [schemaAt(before, schema), schemaAt(after, schema)];
    if (earlier !== null && later !== null) schemas.compare(earlier, later, direction, schema);
  }
}

function compareParameters({ before, after, schemas, report }: Compared, operation: string): void {
  const list = `${operation}/parameters`;
  const [earlier, later] = [parametersAt(before, list), parametersAt(after, list)];
  for (const [key, { path, name }] of earlier) {
    const now = later.get(key);
    if (now === undefined) {
      report(path, `the parameter ${name} was removed`);
      continue;
    }
    const [old, fresh] = [schemaAt(before, `${path}/schema`), schemaAt(after, `${now.path}/schema`)];
    if (old !== null && fresh !== null) schemas.compare(old, fresh, "request", `${now.path}/schema`);
  }
  for (const [key, { path, name, isRequired }] of later) {
    if (isRequired && earlier.get(key)?.isRequired !== true) report(path, `the parameter ${name} is required now`);
  }
}

interface Parameter {
  readonly path: string;
  readonly name: string;
  readonly isRequired: boolean;
}

/** The parameters of an operation, by their place in requests and their name. */
function parametersAt(document: JsonObject, list: string): ReadonlyMap<string, Parameter> {
  const found = new Map<string, Parameter>();
  for (const [index, parameter] of listAt(document, list).entries()) {
    if (!isJsonObject(parameter)) continue;
    const { name, in: place, required } = parameter;
    if (typeof name !== "string" || typeof place !== "string") continue;
    found.set(`${place} ${name}`, { path: `${list}/${index}`, name, isRequired: required === true });
  }
  return found;
}

/** Calls `onMissing` with the pointer to each member that only the earlier contract has. */
function compareEach(before: JsonObject, after: JsonObject, path: string, onMissing: (path: string) => void): void {
  for (const name of namesAt(before, path)) {
    const member = stepInto(path, name);
    if (at(after, member) === undefined) onMissing(member);
  }
}

function namesAt(document: JsonObject, path: string): readonly string[] {
  const value = at(document, path);
  return isJsonObject(value) ? Object.keys(value) : [];
}

function listAt(document: JsonObject, path: string): readonly Json[] {
  const value = at(document, path);
  return Array.isArray(value) ? value : [];
}

function at(document: JsonObject, pointer: string): Json | undefined {
  return resolve(document, pointer);
}

function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf("/"));
}
