import { stepInto } from "../../terms/json/json-pointer.ts";
import { isJsonObject, type Json, type JsonObject } from "../../terms/json/json.ts";

const METHODS = new Set("get post put patch delete head options".split(" "));
/** Keywords that describe the value of a parameter. */
const OF_VALUE =
  "type format items enum default pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems".split(
    " ",
  );
/** The serialization of lists. A style that OpenAPI 3 lacks is refused when the parameter is read. */
const STYLES: ReadonlyMap<Json | undefined, string> = new Map([
  ["ssv", "spaceDelimited"],
  ["pipes", "pipeDelimited"],
  ["tsv", "tabDelimited"],
]);
const FORM = "application/x-www-form-urlencoded";
const JSON_ONLY = ["application/json"];

/**
 * Converts a Swagger 2.0 document to OpenAPI 3. Definitions keep their position; a moved part becomes a reference to
 * its original position, so that a refusal names that position. Malformed parts are kept, and are refused when they are
 * read.
 */
export function asOpenApi3(document: JsonObject): JsonObject {
  const parameters = mapMembers(document["parameters"], asParameter);
  const types = typesOf(document, document, "produces") ?? JSON_ONLY;
  const responses = mapMembers(document["responses"], (each, name) => asResponse(each, ["responses", name], types));
  const shared = {
    ...document,
    ...(parameters === undefined ? {} : { parameters }),
    ...(responses === undefined ? {} : { responses }),
  };
  const schemes = mapMembers(document["securityDefinitions"], asScheme);
  return {
    ...shared,
    openapi: "3.0.3",
    ...serversOf(document, document),
    components: { securitySchemes: schemes ?? {} },
    paths: mapMembers(document["paths"], (item, path) => asPathItem(shared, item, ["paths", path])) ?? {},
  };
}

function asPathItem(document: JsonObject, item: Json, at: readonly string[]): Json {
  if (!isJsonObject(item)) return item;
  const shared = listOf(item["parameters"]).map((parameter, index) =>
    read(document, asParameter(parameter), [...at, "parameters", String(index)]),
  );
  const members = Object.entries(item).map(([name, member]) => {
    if (!METHODS.has(name) || !isJsonObject(member)) return [name, member] as const;
    return [name, asOperation(document, member, [...at, name], shared)] as const;
  });
  return { ...Object.fromEntries(members), ...(shared.length === 0 ? {} : { parameters: writtenOf(shared) }) };
}

function asOperation(
  document: JsonObject,
  operation: JsonObject,
  at: readonly string[],
  shared: readonly Parameter[],
): JsonObject {
  const own = listOf(operation["parameters"]).map((parameter, index) =>
    read(document, asParameter(parameter), [...at, "parameters", String(index)]),
  );
  const body = bodyOf([...shared, ...own], typesOf(operation, document, "consumes"));
  const types = typesOf(operation, document, "produces") ?? JSON_ONLY;
  const responses = mapMembers(operation["responses"], (response, status) =>
    asResponse(response, [...at, "responses", status], types),
  );
  return {
    ...operation,
    ...(operation["schemes"] === undefined ? {} : serversOf(document, operation)),
    parameters: writtenOf(own),
    ...(body === null ? {} : { requestBody: body }),
    ...(responses === undefined ? {} : { responses }),
  };
}

/** A parameter in OpenAPI 3 terms, with the positions of its parts in the document. */
interface Parameter {
  readonly written: Json;
  readonly value: JsonObject;
  readonly at: readonly string[];
}

/** Resolves a shared parameter, to see whether it belongs to the body. */
function read(document: JsonObject, written: Json, at: readonly string[]): Parameter {
  if (!isJsonObject(written)) return { written, value: {}, at };
  const name = /^#\/parameters\/([^/]+)$/.exec(textOf(written["$ref"]))?.[1];
  if (name === undefined) return { written, value: written, at };
  const there = document["parameters"];
  const value = isJsonObject(there) && Object.hasOwn(there, name) ? there[name]! : {};
  return { written, value: isJsonObject(value) ? value : {}, at: ["parameters", name] };
}

/** All parameters, including those of the body, so that positions stay the same. */
function writtenOf(parameters: readonly Parameter[]): Json[] {
  return parameters.map(({ written }) => written);
}

function asParameter(parameter: Json): Json {
  if (!isJsonObject(parameter) || parameter["$ref"] !== undefined || parameter["in"] === "body") return parameter;
  const schema = Object.fromEntries(
    OF_VALUE.filter((name) => Object.hasOwn(parameter, name)).map((name) => [name, parameter[name]!]),
  );
  const description = parameter["in"] === "formData" ? parameter["description"] : undefined;
  const form = parameter["collectionFormat"];
  const style = STYLES.get(form);
  const example = parameter["x-example"];
  return {
    ...parameter,
    schema: { ...schema, ...(description === undefined ? {} : { description }) },
    explode: form === "multi",
    ...(style === undefined ? {} : { style }),
    ...(example === undefined ? {} : { example }),
  };
}

function bodyOf(parameters: readonly Parameter[], consumes: readonly string[] | null): JsonObject | null {
  const body = parameters.findLast(({ value }) => value["in"] === "body");
  if (body !== undefined) {
    const media = { schema: { $ref: pointerTo([...body.at, "schema"]) } };
    return {
      required: body.value["required"] === true,
      content: Object.fromEntries((consumes ?? JSON_ONLY).map((type) => [type, media])),
    };
  }
  const fields = parameters.filter(({ value }) => value["in"] === "formData");
  if (fields.length === 0) return null;
  const properties = fields.map(({ value, at }) => [textOf(value["name"]), { $ref: pointerTo([...at, "schema"]) }]);
  const required = fields.filter(({ value }) => value["required"] === true).map(({ value }) => textOf(value["name"]));
  const isMultipart = fields.some(({ value }) => value["type"] === "file") || (consumes ?? [FORM]).every(isOther);
  const schema = { type: "object", required, properties: Object.fromEntries(properties) as JsonObject };
  return { required: true, content: { [isMultipart ? "multipart/form-data" : FORM]: { schema } } };
}

function isOther(type: string): boolean {
  return !type.toLowerCase().startsWith(FORM);
}

function asResponse(response: Json, at: readonly string[], types: readonly string[]): Json {
  if (!isJsonObject(response) || response["schema"] === undefined) return response;
  const examples = isJsonObject(response["examples"]) ? response["examples"] : {};
  const content = types.map((type) => {
    const example = Object.hasOwn(examples, type) ? { example: examples[type]! } : {};
    return [type, { schema: { $ref: pointerTo([...at, "schema"]) }, ...example }];
  });
  return { ...response, content: Object.fromEntries(content) as JsonObject };
}

/** A reference to a position in the document. */
function pointerTo(at: readonly string[]): string {
  return `#${at.reduce(stepInto, "").replaceAll("%", "%25").replaceAll("#", "%23")}`;
}

function serversOf({ host, basePath }: JsonObject, { schemes }: JsonObject): JsonObject {
  if (typeof host !== "string") return {};
  const known = listOf(schemes).filter((scheme) => typeof scheme === "string");
  const scheme = known.length === 0 || known.includes("https") ? "https" : known[0]!;
  return { servers: [{ url: `${scheme}://${host}${typeof basePath === "string" ? basePath : ""}` }] };
}

const FLOWS: ReadonlyMap<string, string> = new Map([
  ["application", "clientCredentials"],
  ["accessCode", "authorizationCode"],
]);

function asScheme(scheme: Json): Json {
  if (!isJsonObject(scheme)) return scheme;
  if (scheme["type"] === "basic") return { ...scheme, type: "http", scheme: "basic" };
  const { type, flow } = scheme;
  if (type !== "oauth2" || typeof flow !== "string") return scheme;
  const { tokenUrl, authorizationUrl } = scheme;
  const addresses = {
    ...(tokenUrl === undefined ? {} : { tokenUrl }),
    ...(authorizationUrl === undefined ? {} : { authorizationUrl }),
  };
  return { ...scheme, flows: { [FLOWS.get(flow) ?? flow]: addresses } };
}

/** The media types of an operation, or else of the document; `null` if neither declares any. */
function typesOf(operation: JsonObject, document: JsonObject, name: "consumes" | "produces"): readonly string[] | null {
  const types = listOf(operation[name] ?? document[name]).filter((type) => typeof type === "string");
  return types.length === 0 ? null : types;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function mapMembers(value: Json | undefined, map: (member: Json, name: string) => Json): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member, name)]));
}
