import { Type } from "../terms/schema/type.ts";
import { Fault, FAULTS, type RequestFaultCode } from "../terms/fault.ts";
import { ROUTES } from "./app.ts";
import { REQUEST_ID_HEADER } from "./request-ids.ts";
import { errorBody } from "./send-response.ts";
import type { Route, RunRoute } from "./route.ts";

const errorCodes = [
  ...new Set(Object.values(FAULTS).flatMap(({ surface, kind }) => (surface === "request" ? [kind] : []))),
];

const ErrorResponse = Type.Object(
  {
    error: Type.Object({
      code: Type.Unsafe<string>({ type: "string", enum: errorCodes }),
      message: Type.String(),
      request_id: Type.String({ description: "As in the header `X-Request-Id`." }),
      details: Type.Optional(
        Type.Array(
          Type.Object({
            path: Type.String({ description: "JSON pointer into the request body." }),
            message: Type.String(),
          }),
        ),
      ),
    }),
  },
  { title: "Error", description: "Never repeats a value that was sent." },
);

const HEADERS = {
  [REQUEST_ID_HEADER]: {
    description:
      "The id by which the operator finds the request: the `transaction_id` of its run, or one that begins with `req_` if it started no run.",
    schema: { type: "string", pattern: "^(trx|req)_[0-9a-f]{32}$" },
    required: true,
  },
  "X-Frame-Options": { schema: { const: "DENY" }, required: true },
  "Content-Security-Policy": { schema: { const: "frame-ancestors 'none'" }, required: true },
  "Cache-Control": { schema: { const: "no-store" }, required: true },
};

type Examples = Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;

function response(description: string, schema: object, examples: Examples) {
  return { description, headers: HEADERS, content: { "application/json": { schema, examples } } };
}

/** The response to requests with one of these faults, with an example of each. */
function failed(description: string, ...codes: readonly RequestFaultCode[]) {
  const examples = codes.map((code) => {
    const fault = new Fault(code, {}, code === "request.invalid" ? { problems: [WRONG_CONTEXT] } : {});
    return [code.slice("request.".length), { value: JSON.parse(errorBody(fault, REQUEST_ID)) as unknown }] as const;
  });
  return response(description, reference("Error"), Object.fromEntries(examples));
}

/** Used in the examples of errors. */
const REQUEST_ID = "req_0199d3b1c0f07d1e8a2b3c4d5e6f7a8b";
const WRONG_CONTEXT = { path: "/config/context", message: "must be one of prod, test, dev" };

const ALLOW = { description: "The methods that the path accepts.", schema: { type: "string" }, required: true };
const WRONG_METHOD = failed("The path does not accept the method of the request.", "request.method");

/** Responses to requests that are wrong as HTTP. */
const BAD_HTTP = {
  "400": failed("The request is not valid HTTP.", "request.http"),
  "405": { ...WRONG_METHOD, headers: { ...HEADERS, Allow: ALLOW } },
  "408": failed("The request did not arrive in time.", "request.http_timeout"),
  "417": failed("The expectation of the request cannot be met.", "request.http_expectation"),
  "431": failed("The header fields are too large.", "request.http_headers"),
};

const UNAVAILABLE = [
  "request.overloaded",
  "request.stopping",
  "request.journal_unavailable",
  "request.store_unavailable",
  "request.unexpected",
] as const;

function errorsOf({ path }: RunRoute) {
  const noSources = path === "/data" ? (["request.no_sources"] as const) : [];
  return {
    "401": failed(
      "The token or workflow was missing or rejected. The answer does not say which, or why.",
      "request.unauthenticated",
    ),
    "422": failed(
      "The request body did not match the schema, was not JSON, was too large or nested too deeply, or had another media type.",
      "request.invalid",
    ),
    "500": failed(
      "The service could not process the request: no source was named, the service is at its limits or shutting down, or it cannot record runs.",
      ...noSources,
      ...UNAVAILABLE,
    ),
    "503": failed(
      "Sent instead of 500 with the code `overloaded`, if the operator has set `overload_status` to 503.",
      "request.overloaded",
      "request.stopping",
    ),
    ...BAD_HTTP,
  };
}

const RUN_HEADERS = [
  {
    name: "X-Service-Workflow",
    in: "header",
    required: false,
    schema: { type: "string" },
    description: "Workflow identifier. If it is absent, `workflow` in the body is used.",
  },
  {
    name: REQUEST_ID_HEADER,
    in: "header",
    required: false,
    schema: { type: "string" },
    description:
      "Your own id for the request, 1 to 64 printable ASCII characters; anything else is ignored. It is recorded with the run, so that the operator finds the run by it. Requests with the same id are separate runs.",
  },
  {
    name: "traceparent",
    in: "header",
    required: false,
    schema: { type: "string" },
    description: "Your trace (W3C Trace Context). Its trace id is recorded with the run. An invalid value is ignored.",
  },
];

const SECURITY = [{ serviceToken: [] }, { bearerToken: [] }, {}];

/** The contract as OpenAPI 3.1. Its schemas are those that check requests in service and answers in tests. */
export function openApiDocument(routes: readonly Route[] = ROUTES): object {
  return {
    openapi: "3.1.0",
    info: {
      title: "datarun",
      version: "1",
      summary: "Asks many data vendors at once and returns one honest result per vendor.",
      description:
        "For use from server to server only: no CORS headers are sent. There is one API version, and it is not part of the URL. New response fields can be added, so ignore fields that you do not know. Retrying a run makes the external calls again and can be billable.",
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [
      {
        url: "{base_url}",
        description: "Your deployment; each region has its own.",
        variables: { base_url: { default: "http://localhost:8080" } },
      },
    ],
    paths: Object.fromEntries(routes.map((route) => [route.path, operationsOf(route)])),
    components: {
      schemas: { ...Object.assign({}, ...routes.map(schemasOf)), Error: ErrorResponse },
      securitySchemes: {
        serviceToken: {
          type: "apiKey",
          in: "header",
          name: "X-Service-Access-Token",
          description: "The access token, `drt_…`. Generated clients take it as a header of every request.",
        },
        bearerToken: { type: "http", scheme: "bearer", description: "The same access token as a bearer token." },
      },
    },
  };
}

function operationsOf(route: Route): object {
  const { operationId, summary, answers } = route;
  const described = { [route.method.toLowerCase()]: operation(route) };
  if (route.method !== "GET") return described;
  const head = {
    operationId: `${operationId}Head`,
    summary: `${summary}, without the body`,
    description: "The status and the headers of GET. A refusal has no body either.",
    security: [{}],
    responses: {
      "200": { description: answers.description, headers: HEADERS },
      ...Object.fromEntries(
        Object.entries(BAD_HTTP)
          // The path accepts HEAD.
          .filter(([status]) => status !== "405")
          .map(([status, { description }]) => [status, { description, headers: HEADERS }]),
      ),
    },
  };
  return { ...described, head };
}

function operation(route: Route): object {
  const { operationId, summary, description, answers } = route;
  const [answer, ...others] = Object.keys(answers.schemas).map(reference);
  const examples = Object.entries(route.examples).map(([name, { summary: says, answer: value }]) => [
    name,
    { summary: says, value },
  ]);
  const ok = response(
    answers.description,
    others.length === 0 ? answer! : { anyOf: [answer, ...others] },
    Object.fromEntries(examples) as Examples,
  );
  if (route.method === "GET") {
    return { operationId, summary, description, security: [{}], responses: { "200": ok, ...BAD_HTTP } };
  }
  return {
    operationId,
    summary,
    description,
    security: SECURITY,
    parameters: RUN_HEADERS,
    requestBody: {
      required: true,
      content: { "application/json": { schema: reference(route.body.name), examples: requestsOf(route) } },
    },
    responses: { "200": ok, ...errorsOf(route) },
  };
}

function requestsOf({ examples }: RunRoute): Examples {
  return Object.fromEntries(
    Object.entries(examples).map(([name, { summary, request }]) => [name, { summary, value: request }]),
  );
}

function schemasOf(route: Route): Readonly<Record<string, object>> {
  const schemas = { ...route.answers.schemas, ...route.parts };
  if (route.method === "GET") return schemas;
  const { name, schema, published = schema } = route.body;
  return { [name]: publishedSchema(published) as object, ...schemas };
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * Converts the schema of a request for `openapi.json`. The result accepts the same bodies, with keywords that client
 * generators understand: `if` becomes `oneOf`, and our own error messages (`x-says`) are left out.
 */
function publishedSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publishedSchema);
  if (typeof value !== "object" || value === null) return value;
  const { "x-says": _, if: condition, then, else: otherwise, ...shown } = value as Readonly<Record<string, unknown>>;
  const plain = Object.fromEntries(Object.entries(shown).map(([name, inner]) => [name, publishedSchema(inner)]));
  if (condition === undefined) return plain;
  // `oneOf` needs exactly one match: in our schemas, a value that matches `else` never matches `if`.
  const matching = { ...(condition as object), ...(publishedSchema(then) as object) };
  return { ...plain, oneOf: [publishedSchema(otherwise), matching] };
}
