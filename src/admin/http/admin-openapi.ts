import type { VerbSet } from "../find-verbs.ts";
import { Type } from "../../terms/schema/type.ts";
import { BINARY_TYPES } from "../verb.ts";
import { API_HEADERS, NOTES_HEADER, RESULT_TRAILER } from "./api-headers.ts";
import { SESSION_ENDPOINTS, SESSION_RESULTS, type SessionEndpoint } from "./session-endpoints.ts";
import { EVENT_STREAM } from "./event-stream.ts";
import { LiveEvent } from "./live-event.ts";
import { LIVE_PATH } from "./live-stream.ts";
import { STATUS_OF } from "./refusal.ts";
import { allEndpoints, type VerbEndpoint } from "./verb-endpoints.ts";

/** One shape for every error. */
const ApiError = Type.Object(
  {
    error: Type.Object({
      code: Type.Unsafe<string>({ type: "string", enum: Object.keys(STATUS_OF) }),
      message: Type.String({ description: "A sentence for people, which may change." }),
      details: Type.Optional(
        Type.Array(
          Type.Object({
            path: Type.String({ description: "JSON pointer into the input." }),
            message: Type.String(),
          }),
        ),
      ),
    }),
  },
  { title: "Error", description: "Never repeats a secret that was sent." },
);

const MEANING = {
  "401":
    "There is no operator's token or session, or it is unknown, expired, ended or revoked. A wrong token is answered after a delay.",
  "403":
    "The operator's role does not allow this, the console is read-only, or the request names a foreign host or comes from a page of another site.",
  "404": "What the input names does not exist, or there is no such command outside a terminal.",
  "405": "The method is not POST, or for live events not GET.",
  "409": "The command refuses to do this.",
  "422": "The input is not valid JSON, is too large, or does not match the schema.",
  "500": "The command failed unexpectedly. The service's log has the cause.",
  "503": "The store or the ledger does not answer now, too many commands are running, or the service is stopping.",
} as const;

const VerbProgress = Type.Object(
  {
    what: Type.String({ description: "What is counted" }),
    done: Type.Number(),
    of: Type.Optional(Type.Number({ description: "Missing while it is not known" })),
  },
  { description: "The data of an event `progress`: the progress of a command." },
);
const EndedCall = Type.Object(
  {
    source: Type.String(),
    success: Type.Boolean(),
    match: Type.Boolean(),
    took_ms: Type.Number(),
  },
  {
    description:
      "The data of an event `call`: a call of the run that a command makes has ended. Its output comes with the result.",
  },
);
const VerbNote = Type.Object(
  { says: Type.String() },
  { description: "The data of an event `note`: a remark for a person." },
);

/** The contract of the admin API as OpenAPI 3.1, from the verbs. */
export async function adminOpenApiDocument(verbs: VerbSet): Promise<object> {
  const endpoints = await allEndpoints(verbs);
  return {
    openapi: "3.1.0",
    info: {
      title: "datarun admin API",
      version: "1",
      summary: "What an operator can do, over HTTP.",
      description:
        "Each endpoint is a command of the command line, and answers what the command prints with `--json`. The API is on the admin port and nowhere else. Result objects can get new fields, so ignore fields that you do not know.",
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [
      {
        url: "{base_url}",
        description: "The admin port of your deployment.",
        variables: { base_url: { default: "http://localhost:8081" } },
      },
    ],
    security: [{ operatorToken: [] }, { session: [] }],
    paths: Object.fromEntries<object>([
      [LIVE_PATH, { get: LIVE_OPERATION }],
      ...endpoints.map((endpoint) => [endpoint.path, { post: operationOf(endpoint) }] as const),
      ...SESSION_ENDPOINTS.map((endpoint) => [endpoint.path, { post: sessionOperationOf(endpoint) }] as const),
    ]),
    components: {
      schemas: {
        ...Object.assign({}, ...endpoints.map(schemasOf)),
        ...SESSION_RESULTS,
        LiveEvent,
        VerbProgress,
        VerbNote,
        EndedCall,
        Error: ApiError,
      },
      responses: Object.fromEntries(
        Object.entries(MEANING).map(([status, says]) => [nameOfStatus(status), response(says, "Error")]),
      ),
      headers: Object.fromEntries(
        Object.entries(API_HEADERS).map(([name, value]) => [name, { schema: { const: value }, required: true }]),
      ),
      securitySchemes: {
        operatorToken: { type: "http", scheme: "bearer", description: "A token of `operator create`: `dop_…`." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "datarun",
          description:
            "The cookie of a session, for pages of the service itself: the request also needs `Origin` and `Datarun-Console: 1`. Behind TLS its name is `__Host-datarun`.",
        },
      },
    },
  };
}

function operationOf({ name, verb }: VerbEndpoint): object {
  const schema = camel(name);
  return {
    operationId: schema[0]!.toLowerCase() + schema.slice(1),
    tags: [name.split(" ")[0]],
    summary: verb.summary,
    description: [verb.description, `Requires the role ${verb.role}.${verb.changes ? "" : " Changes nothing."}`]
      .filter(Boolean)
      .join(" "),
    "x-role": verb.role,
    "x-changes": verb.changes,
    requestBody: {
      required: (verb.input.required ?? []).length > 0,
      content: { "application/json": { schema: reference(`${schema}Input`) } },
    },
    responses: {
      "200":
        verb.stream === undefined
          ? withEvents(response(RESULT_DESCRIPTION, `${schema}Result`, NOTES))
          : text(verb.stream.mediaTypes),
      ...REFUSALS,
    },
  };
}

const RESULT_DESCRIPTION =
  "The result. A client that accepts `text/event-stream` gets events while the command runs: `note` (`VerbNote`), `progress` (`VerbProgress`) and `call` (`EndedCall`), and at the end one `result`, or one `error` (`Error`). The command continues if its client disconnects.";

const NOTES = {
  [NOTES_HEADER]: {
    description: "Remarks for a person: a JSON list of sentences, percent-encoded.",
    schema: { type: "string" },
  },
};

function text(mediaTypes: readonly string[]): object {
  const plain = response(
    `A text in UTF-8, or the bytes of a file, sent while it is made. If it cannot be completed, the connection breaks before its end, and the text is incomplete. After a complete text, trailers have further remarks (\`${NOTES_HEADER}\`) and the result (\`${RESULT_TRAILER}\`: JSON, percent-encoded).`,
    "Error",
    { ...NOTES, "Content-Disposition": { description: "A name for the file.", schema: { type: "string" } } },
  );
  // OpenAPI 3.1 describes bytes by a media type without a schema.
  const contentOf = (type: string) => (BINARY_TYPES.includes(type) ? {} : { schema: { type: "string" } });
  return { ...plain, content: Object.fromEntries(mediaTypes.map((type) => [type, contentOf(type)])) };
}

const COMMON_HEADERS = Object.fromEntries(
  Object.keys(API_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

const REFUSALS = Object.fromEntries(
  Object.keys(MEANING).map((status) => [status, { $ref: `#/components/responses/${nameOfStatus(status)}` }]),
);

const EVENTS = {
  [EVENT_STREAM]: {
    schema: { type: "string", description: "Server-sent events, each with one JSON object as its data." },
  },
};

function withEvents(response: { readonly content: object }): object {
  return { ...response, content: { ...response.content, ...EVENTS } };
}

const LIVE_OPERATION = {
  operationId: "live",
  tags: ["live"],
  summary: "Stream live figures, once a second",
  description:
    "Server-sent events of the name `live`, whose data is a `LiveEvent`: the figures of the machine that answers, and charges, budgets and items that need attention of the whole deployment. The last event is an `error` (`Error`): the login has ended, or the service stops. Requires the role viewer. Changes nothing.",
  "x-role": "viewer",
  "x-changes": false,
  responses: {
    "200": { description: "Events.", headers: COMMON_HEADERS, content: EVENTS },
    ...REFUSALS,
  },
};

function sessionOperationOf({ operationId, summary, description, takes, input, result }: SessionEndpoint): object {
  return {
    operationId,
    tags: ["session"],
    summary,
    description,
    security: SECURITY[takes],
    ...(input === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: published(input) } } } }),
    responses: { "200": response("The result.", result), ...REFUSALS },
  };
}

const SECURITY = { token: [{ operatorToken: [] }], session: [{ session: [] }], input: [], nothing: [] } as const;

function response(description: string, schema: string, more: object = {}) {
  return {
    description,
    headers: { ...COMMON_HEADERS, ...more },
    content: { "application/json": { schema: reference(schema) } },
  };
}

function schemasOf({ name, verb }: VerbEndpoint): Readonly<Record<string, unknown>> {
  return {
    [`${camel(name)}Input`]: published(verb.input),
    ...(verb.stream === undefined && { [`${camel(name)}Result`]: published(verb.result ?? {}) }),
  };
}

/** The schema without the keywords of the command line. */
function published(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(published);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => !key.startsWith("x-"));
  return Object.fromEntries(kept.map(([key, value]) => [key, published(value)]));
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

/** `credential price set` becomes `CredentialPriceSet`. */
function camel(name: string): string {
  return name
    .split(/[ -]/)
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join("");
}

function nameOfStatus(status: string): string {
  return `Status${status}`;
}
