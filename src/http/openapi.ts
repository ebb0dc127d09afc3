import { Type } from "../terms/type.ts";
import { FAULTS } from "../terms/fault.ts";
import { ROUTES } from "./app.ts";
import { REQUEST_ID_HEADER } from "./request-ids.ts";
import { publishedSchema } from "./published-schema.ts";
import type { Route } from "./route.ts";

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

function response(description: string, schema: object) {
  return { description, headers: HEADERS, content: { "application/json": { schema } } };
}

const ERROR = reference("Error");

const ALLOW = { description: "The methods that the path takes.", schema: { type: "string" }, required: true };
const WRONG_METHOD = response("The path does not take the method that was sent.", ERROR);

/** Problems of HTTP itself. */
const BAD_HTTP = {
  "405": { ...WRONG_METHOD, headers: { ...HEADERS, Allow: ALLOW } },
  "4XX": response("400, 408, 417 or 431: the HTTP itself could not be read or served.", ERROR),
};

const ERRORS = {
  "401": response("The token or workflow was missing or rejected. The answer does not say which, or why.", ERROR),
  "422": response(
    "The request body did not match the schema, was not JSON, was too large or nested too deeply, or had another media type.",
    ERROR,
  ),
  "500": response(
    "The service could not process the request: no source was named, the service is at its limits or shutting down, or it cannot record runs.",
    ERROR,
  ),
};

/** The status that may replace 500 for load balancers, and statuses of requests that are not runs. */
const OTHERS = {
  "503": response("Replaces 500 with the code `overloaded`, if the operator has set `overload_status` to 503.", ERROR),
  ...BAD_HTTP,
};

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

/** The contract as OpenAPI 3.1, from the schemas that requests are checked with and answers are tested against. */
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
      "4XX": { description: BAD_HTTP["4XX"].description, headers: HEADERS },
    },
  };
  return { ...described, head };
}

function operation(route: Route): object {
  const { operationId, summary, description, answers } = route;
  const [answer, ...others] = Object.keys(answers.schemas).map(reference);
  const ok = response(answers.description, others.length === 0 ? answer! : { anyOf: [answer, ...others] });
  if (route.method === "GET") {
    return { operationId, summary, description, security: [{}], responses: { "200": ok, ...BAD_HTTP } };
  }
  return {
    operationId,
    summary,
    description,
    security: SECURITY,
    parameters: RUN_HEADERS,
    requestBody: { required: true, content: { "application/json": { schema: reference(route.body.name) } } },
    responses: { "200": ok, ...ERRORS, ...OTHERS },
  };
}

function schemasOf(route: Route): Readonly<Record<string, object>> {
  const { schemas } = route.answers;
  return route.method === "GET" ? schemas : { [route.body.name]: publishedSchema(route.body.schema), ...schemas };
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}
