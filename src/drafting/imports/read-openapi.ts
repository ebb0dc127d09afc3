import { isJsonObject, type Json, type JsonObject } from "../../terms/json/json.ts";
import { draftAuth, joinAuth } from "../draft-auth.ts";
import { OTHER_METHODS } from "../draft-request.ts";
import { DRAFT_METHODS } from "../../sources/declarative/draft-words.ts";
import type { ImportChoices, Imported } from "./imported.ts";
import { authOf } from "./openapi-auth.ts";
import { OpenApiDocument, type Spot } from "./openapi-document.ts";
import { exampleIn, OperationRequest } from "./openapi-request.ts";
import { EXAMPLE_TEXT, membersOf, sampleOf, wordsOf } from "./openapi-schema.ts";

/**
 * Reads one operation of a document: parameters with their schemas, body, authentication and replies. `auth` replaces
 * the authentication in the document. @throws ImportProblem with line and column of the part that a declarative source
 * cannot express
 */
export function readOpenApi(
  text: string,
  file: string,
  named: string,
  auth: string | undefined,
  choices: ImportChoices,
): Imported {
  const document = new OpenApiDocument(text, file);
  const { method, path, item, operation } = document.operation(named);
  if (!DRAFT_METHODS.includes(method)) document.refuse(operation, `${method} cannot be imported`, OTHER_METHODS);
  const request = new OperationRequest(document, choices);
  const server = request.server(item, operation);
  const proof = auth === undefined ? authOf(document, operation, server) : { auth: draftAuth(auth), notes: [] };
  if (auth !== undefined || proof.auth.kinds.length > 0) request.loginBy(proof.auth);
  const asked = request.parameters(server, path, item, operation);
  const posted = document.in(operation, "requestBody");
  if (method === "GET" && posted !== undefined)
    document.refuse(posted, "a GET has no body", "remove it from the document");
  const body = request.body(operation);
  document.tolerate();
  const answer = answerOf(document, operation);
  const info = document.object(document.root, "info");
  const summary = document.text(operation, "summary");
  const outside = [operation, document.root].map((spot) => document.object(spot, "externalDocs"));
  return {
    title: summary?.trim().replace(/\.$/, "") ?? (info && document.text(info, "title")),
    description: document.text(operation, "description")?.trim(),
    docs: outside
      .flatMap((spot) => (spot === undefined ? [] : [document.text(spot, "url")]))
      .find((url) => url !== undefined),
    request: { method, ...asked, body, inputs: request.inputs },
    auth: joinAuth(request.auth),
    ...answer,
    notes: [...request.notes, ...proof.notes, ...answer.notes, ...document.notes],
  };
}

type AnswerRead = Pick<Imported, "sample" | "status" | "words" | "describe" | "otherStatuses"> & {
  readonly notes: string[];
};

/** A reply with a record: the example of the success, with missing members from its schema. */
function answerOf(document: OpenApiDocument, operation: Spot): AnswerRead {
  const responses = document.members(document.object(operation, "responses"));
  const success =
    responses.find(([status]) => status === "200") ??
    responses.find(([status]) => status.startsWith("2")) ??
    responses.find(([status]) => status === "default");
  const otherStatuses = responses.map(([status]) => status).filter((status) => status.startsWith("4"));
  const content = document.members(success && document.object(success[1], "content"));
  const json = content.find(([type]) => /^application\/(?:[\w.+-]+\+)?json\b|^\*\/\*|^text\/json/i.test(type));
  if (success === undefined || json === undefined) {
    const notes = content.length === 0 ? [] : ["The reply is not described as JSON."];
    return { words: new Set(), otherStatuses, notes };
  }
  const schema = document.in(json[1], "schema");
  const shown = exampleIn(document, json[1]);
  const words = new Set([EXAMPLE_TEXT]);
  if (schema !== undefined) wordsOf(document, schema, words);
  const told = schema === undefined ? undefined : sampleOf(document, schema);
  const sample = shown === undefined ? told : completed(shown, told ?? null);
  const notes = [
    ...(/^2\d\d$/.test(success[0]) ? [] : [`Success is described as ${success[0]}: compare match with it.`]),
    ...(shown === undefined && told !== undefined && told !== null
      ? ["The document has no example of the reply: the sample is derived from its schema."]
      : []),
  ];
  return {
    ...(sample === undefined || sample === null ? {} : { sample }),
    ...(/^2\d\d$/.test(success[0]) && success[0] !== "200" ? { status: Number(success[0]) } : {}),
    words,
    otherStatuses,
    ...(schema === undefined ? {} : { describe: (steps: readonly string[]) => described(document, schema, steps) }),
    notes,
  };
}

/** Adds the members of the schema that an example lacks. */
function completed(shown: Json, told: Json): Json {
  if (!isJsonObject(shown) || !isJsonObject(told)) return shown;
  const both = Object.entries(shown).map(([name, value]) => [name, completed(value, told[name] ?? null)]);
  const more = Object.entries(told).filter(([name]) => !Object.hasOwn(shown, name));
  return Object.fromEntries([...both, ...more]) as JsonObject;
}

/**
 * Type and description of a member of the reply. `null` is never among the types, because records omit such members.
 */
function described(document: OpenApiDocument, schema: Spot, steps: readonly string[]): JsonObject | undefined {
  let spot: Spot | undefined = schema;
  for (const step of steps) {
    spot = spot && membersOf(document, spot)?.get(step)?.spot;
    if (spot === undefined) return undefined;
  }
  const { value } = spot;
  if (!isJsonObject(value)) return undefined;
  const type = Array.isArray(value["type"]) ? value["type"].find((one) => one !== "null") : value["type"];
  if (typeof type !== "string") return undefined;
  const description = document.text(spot, "description");
  return { type, ...(description === undefined ? {} : { description: description.trim() }) };
}
