import type { Json } from "../../terms/json/json.ts";
import { draftSource } from "../draft-source.ts";
import type { Imported } from "./imported.ts";
import { readOpenApi } from "./read-openapi.ts";

export const CHOICES = { fixed: new Set<string>(), examples: {}, mask: (value: Json) => value };

export function read(document: Json, operation = "find", auth?: string): Imported {
  return readOpenApi(JSON.stringify(document, null, 1), "api.json", operation, auth, CHOICES);
}

export function drafted(
  { sample = { name: "Ada" }, title = "t", ...imported }: Imported,
  nobody: { status: number } = { status: 404 },
) {
  return draftSource({ id: "acme__find", docs: undefined, charge: "per_call", nobody, sample, ...imported, title });
}

export const OPENAPI: Json = {
  openapi: "3.0.3",
  info: { title: "Register", version: "1" },
  servers: [{ url: "https://{at}.acme.example/v1", variables: { at: { default: "api" } } }],
  security: [{ key: [] }, { login: ["read"] }],
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      login: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "/token", scopes: {} } } },
    },
    parameters: { Lang: { name: "lang", in: "query", schema: { type: "string", enum: ["en", "de"] } } },
    schemas: {
      Company: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", pattern: "^[A-Z]", example: "Ada" },
          size: { type: "integer", minimum: 1, maximum: 9 },
          parent: { $ref: "#/components/schemas/Company" },
        },
      },
    },
  },
  paths: {
    "/companies/{id}": {
      parameters: [{ $ref: "#/components/parameters/Lang" }],
      post: {
        operationId: "find",
        summary: "A company",
        externalDocs: { url: "https://acme.example/docs" },
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string", minLength: 1 }, example: "a1" },
          { name: "tags", in: "query", explode: false, schema: { type: "array", items: { type: "string" } } },
        ],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Company" } } },
        },
        responses: {
          "200": {
            description: "x",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Company" } } },
          },
          "404": { description: "none" },
        },
      },
    },
  },
};

export const SWAGGER: Json = {
  swagger: "2.0",
  info: { title: "Register", version: "1" },
  host: "api.acme.example",
  basePath: "/v1",
  schemes: ["http", "https"],
  consumes: ["application/json"],
  produces: ["application/json"],
  securityDefinitions: {
    user: { type: "basic" },
    key: { type: "apiKey", in: "query", name: "api_key" },
    login: { type: "oauth2", flow: "application", tokenUrl: "https://login.acme.example/token", scopes: { read: "x" } },
  },
  security: [{ login: ["read"] }],
  parameters: {
    Lang: { name: "lang", in: "query", type: "string", enum: ["en", "de"] },
    Body: { name: "body", in: "body", required: true, schema: { $ref: "#/definitions/Search" } },
  },
  responses: { Found: { description: "x", schema: { $ref: "#/definitions/Company" } } },
  definitions: {
    Search: {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", minLength: 2 },
        born: { type: "string", format: "date", "x-nullable": true },
      },
    },
    Company: { type: "object", properties: { number: { type: "string" }, name: { type: "string" } } },
  },
  paths: {
    "/companies/{id}": {
      parameters: [{ name: "id", in: "path", required: true, type: "string", "x-example": "a1" }],
      get: {
        operationId: "get",
        parameters: [
          { $ref: "#/parameters/Lang" },
          { name: "tags", in: "query", type: "array", items: { type: "string" } },
          { name: "kinds", in: "query", type: "array", collectionFormat: "pipes", items: { type: "string" } },
          { name: "more", in: "query", type: "array", collectionFormat: "multi", items: { type: "string" } },
          { name: "odd", in: "query", type: "array", collectionFormat: "tsv", items: { type: "string" } },
        ],
        responses: {
          "200": {
            description: "x",
            schema: { $ref: "#/definitions/Company" },
            examples: { "application/json": { number: "1", name: "Ada" } },
          },
          "404": { description: "none" },
        },
      },
      post: {
        operationId: "find",
        schemes: ["https"],
        security: [{ user: [] }],
        parameters: [{ $ref: "#/parameters/Body" }],
        responses: { "200": { $ref: "#/responses/Found" } },
      },
      put: {
        operationId: "form",
        security: [{ key: [] }],
        consumes: ["application/x-www-form-urlencoded"],
        parameters: [
          { name: "q", in: "formData", required: true, type: "string", minLength: 2, description: "The name" },
          { name: "page", in: "formData", type: "integer", minimum: 0 },
        ],
        responses: { "201": { description: "x", schema: { $ref: "#/definitions/Company" } } },
      },
      patch: {
        operationId: "upload",
        parameters: [{ name: "file", in: "formData", required: true, type: "file" }],
        responses: {},
      },
    },
  },
};
