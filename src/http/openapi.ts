import { DataBody, FuncBody } from "./request-schema.ts";
import { DataResponse, ErrorResponse, FuncResponse, PassthroughResponse, StatusResponse } from "./response-schema.ts";

const HEADERS = {
  "X-Frame-Options": { schema: { const: "DENY" }, required: true },
  "Content-Security-Policy": { schema: { const: "frame-ancestors 'none'" }, required: true },
  "Cache-Control": { schema: { const: "no-store" }, required: true },
};

function response(description: string, schema: object) {
  return { description, headers: HEADERS, content: { "application/json": { schema } } };
}

const ERROR = { $ref: "#/components/schemas/Error" };

const ERRORS = {
  "401": response("The token or workflow was missing or rejected. Which, and why, is not told.", ERROR),
  "422": response(
    "The request body did not match the schema, was no JSON, too large, too deep or of another media type.",
    ERROR,
  ),
  "500": response(
    "The service could not process the request: no source named, over its limits, shutting down, or not able to record runs.",
    ERROR,
  ),
};

/** What a balancer may be told instead of 500, and what is no run at all. */
const OTHERS = {
  "503": response(
    "In place of 500 with code `overloaded`, where the operator has set `overload_status` to 503.",
    ERROR,
  ),
  "4XX": response("400, 405, 408, 417 or 431: the HTTP itself could not be read or served.", ERROR),
};

const ACCESS_HEADERS = [
  {
    name: "X-Service-Workflow",
    in: "header",
    required: false,
    schema: { type: "string" },
    description: "Workflow identifier. Else `workflow` in the body.",
  },
];

const SECURITY = [{ serviceToken: [] }, { bearerToken: [] }, {}];

/** The contract as OpenAPI 3.1, from the schemas that requests are checked with and answers are tested against. */
export function openApiDocument(): object {
  return {
    openapi: "3.1.0",
    info: {
      title: "datarun",
      version: "1",
      summary: "Asks many data vendors at once and returns one honest answer per vendor.",
      description:
        "Server to server only: no CORS headers are sent. The single API version is not part of the URL; new response fields can be added, so ignore fields you do not know. Retrying a run starts the external calls again and can be billable.",
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [
      {
        url: "{base_url}",
        description: "Your deployment; each region has its own.",
        variables: { base_url: { default: "http://localhost:8080" } },
      },
    ],
    paths: {
      "/data": {
        post: {
          operationId: "runData",
          summary: "Run one or more sources in parallel",
          description: "Failures of single sources are 200: read `status` before `outputs`.",
          security: SECURITY,
          parameters: ACCESS_HEADERS,
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: "#/components/schemas/DataRequest" } } },
          },
          responses: {
            "200": response("Every source ended.", { $ref: "#/components/schemas/DataResponse" }),
            ...ERRORS,
            ...OTHERS,
          },
        },
      },
      "/func": {
        post: {
          operationId: "runFunction",
          summary: "Run one data function",
          description:
            "A function that failed is 200 as well: read `status`, or in passthrough mode the function's own fields.",
          security: SECURITY,
          parameters: ACCESS_HEADERS,
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: "#/components/schemas/FuncRequest" } } },
          },
          responses: {
            "200": response("The function ended, or none was named.", {
              anyOf: [
                { $ref: "#/components/schemas/FuncResponse" },
                { $ref: "#/components/schemas/PassthroughResponse" },
              ],
            }),
            ...ERRORS,
            ...OTHERS,
          },
        },
      },
      "/status": {
        get: {
          operationId: "status",
          summary: "That the process accepts requests, and which build it is",
          description: "Needs no authentication and calls no vendor.",
          security: [{}],
          responses: {
            "200": response("The process accepts requests.", { $ref: "#/components/schemas/Status" }),
            "4XX": response("Not an HTTP request that can be answered.", ERROR),
          },
        },
      },
    },
    components: {
      schemas: {
        DataRequest: DataBody,
        DataResponse,
        FuncRequest: FuncBody,
        FuncResponse,
        PassthroughResponse,
        Status: StatusResponse,
        Error: ErrorResponse,
      },
      securitySchemes: {
        serviceToken: { type: "apiKey", in: "header", name: "X-Service-Access-Token" },
        bearerToken: { type: "http", scheme: "bearer" },
      },
    },
  };
}
