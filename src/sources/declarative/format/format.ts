import type { Static, TSchema } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import { SOURCE_ID } from "../../../terms/ids.ts";
import { CALL_MS_MAX } from "../../../terms/time/times.ts";
import { kindName, type AnyAuthKind } from "../auth/auth-kind.ts";
import { AUTH_KINDS, LOGIN_KINDS, type AuthFile } from "../auth/compile-auth.ts";
import { ErrorRow, ErrorRowRef, ReplyFormat, Request, RequestRef } from "./exchange-format.ts";
import { Charge } from "./charge-format.ts";
import { Resume, Steps } from "./steps-format.ts";
import { anyObject, closed, duration, expression, shared, text, words } from "./format-words.ts";

/**
 * The format of a declarative source file. Editors read this schema as `source.schema.json`, the loader checks files
 * against it, and the compile steps derive their types from it. Its descriptions are the text of the reference.
 */

const AnyAuth = shared<AuthFile>("auth");

const ScriptedReply = Type.Object(
  {
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599, description: "200 by default." })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: "Header fields of the reply." })),
    body: Type.Optional(Type.Unsafe<unknown>({ description: "Text is sent as it is, anything else as JSON." })),
    delay_ms: Type.Optional(Type.Integer({ minimum: 0, description: "Milliseconds to wait before the reply." })),
    fault: Type.Optional(
      words(
        ["hang", "reset", "truncate"],
        "A failure instead of a reply: `hang` never replies, `reset` closes the connection, `truncate` closes it during the reply.",
      ),
    ),
  },
  closed,
);
const ExpectedRequest = Type.Object(
  {
    method: Type.Optional(Type.String({ description: "The method, such as `POST`." })),
    path: Type.Optional(Type.String({ description: "The path without the query." })),
    query: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: "The whole query.",
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Header fields that must be among those sent." }),
    ),
    body: Type.Optional(Type.Unsafe<unknown>({ description: "The body. It is compared as JSON if it is not text." })),
  },
  { ...closed, description: "The request that the vendor must have received. Only what is given here is compared." },
);
function oneOrMore<Item extends TSchema>(item: Item, description: string) {
  return Type.Union([item, Type.Array(item, { minItems: 1 })], { description });
}
const Case = Type.Object(
  {
    name: text("A short description of the case."),
    inputs: anyObject("The inputs of the call."),
    credentials: Type.Optional(
      anyObject(
        "Made up if left out, from `examples` in the schema of the credential. Fields that have to be real, such as a private key, need one.",
      ),
    ),
    context: Type.Optional(words(["prod", "test", "dev"], "`dev` by default.")),
    at: Type.Optional(
      Type.String({
        pattern:
          "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,3})?Z$",
        description: "The time of its requests, such as `2015-08-30T12:36:00Z`. The present by default.",
      }),
    ),
    nonce: Type.Optional(text("The nonce and the request id of its requests. Random by default.")),
    reply: Type.Optional(oneOrMore(ScriptedReply, "The vendor's replies, in the order of the requests.")),
    request: Type.Optional(oneOrMore(ExpectedRequest, "The requests that the vendor must have received, in order.")),
    expect: Type.Object(
      {
        match: Type.Optional(
          Type.Boolean({ description: "Whether there is a record. Required unless `failure` is given." }),
        ),
        output: Type.Optional(anyObject("Must equal the whole output.")),
        includes: Type.Optional(anyObject("Must be contained in the output.")),
        failure: Type.Optional(
          Type.String({ description: "The kind of failure, in place of `match` and the output." }),
        ),
        field: Type.Optional(Type.String({ description: "The input or credential field that the message must name." })),
      },
      {
        ...closed,
        if: { required: ["failure"] },
        then: { properties: { failure: {}, field: {} }, ...closed },
        else: { properties: { match: {}, output: {}, includes: {} }, ...closed, required: ["match"] },
        description: "The expected result: either `match` with the output, or `failure`.",
      },
    ),
  },
  closed,
);

const fieldMap = (description: string) =>
  shared<FieldMap>(
    "field_map",
    `${description} One expression, or an object of expressions by output field; a field without a value is left out.`,
  );
export type FieldMap = string | { readonly [name: string]: FieldMap };

const SourceFormat = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: "Address of this schema, for editors." })),
    id: Type.String({
      pattern: SOURCE_ID.source,
      description: "`<vendor>__<source_name>`, lower snake case.",
    }),
    title: text("A short name for people."),
    description: Type.Optional(
      text('Markdown for its page: what it answers, what "no record" means, and where its data comes from.'),
    ),
    docs: Type.Optional(text("The vendor's own documentation.")),
    inputs: anyObject(
      "JSON Schema 2020-12 of one object. A request's inputs are reduced to its property names. Patterns must not have lookahead, lookbehind or back references.",
    ),
    credentials: Type.Optional(
      anyObject(
        "JSON Schema of the credential. If it is left out, the source takes none. `x-identity: true` marks the properties that name the account at the vendor. A rate `per: credential` and the circuit breaker count inline credentials by these properties alone, or by all of them if none is marked.",
      ),
    ),
    origins: Type.Array(text("`https://host[:port]`, or a pattern such as `https://*.registry.example`."), {
      minItems: 1,
      description: "The only origins that its requests may reach.",
    }),
    regions: Type.Optional(
      Type.Array(text("As a deployment names its own in the setting `region`."), {
        minItems: 1,
        description: "The regions in which it may be used. Deployments in others refuse its calls.",
      }),
    ),
    timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: CALL_MS_MAX,
        description: "Counted from the arrival of the request; 15000 by default.",
      }),
    ),
    auth: Type.Optional(
      Type.Unsafe<AuthFile | readonly AuthFile[]>({
        description: "How a request is authenticated: one kind, or a list of several that are combined.",
        if: { type: "array" },
        // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's own keyword
        then: { items: AnyAuth, minItems: 1 },
        else: AnyAuth,
      }),
    ),
    request: Type.Optional(RequestRef),
    steps: Type.Optional(Steps),
    resume: Type.Optional(Resume),
    reply: Type.Optional(ReplyFormat),
    errors: Type.Optional(
      Type.Array(ErrorRowRef, {
        description:
          "Failures that the vendor reports inside a reply. The first row that applies counts, before `match`.",
      }),
    ),
    match: Type.Object(
      { record: expression("True when the vendor found a record."), no_record: expression("True when it found none.") },
      {
        ...closed,
        description: "When there is a record and when there is none. If neither or both are true, the call fails.",
      },
    ),
    map: Type.Optional(fieldMap("How a record is built. Without `map` the vendor's JSON is returned unchanged.")),
    map_no_record: Type.Optional(
      fieldMap("How the output is built if there is no record. Without it the output is `{}`."),
    ),
    output: Type.Optional(
      anyObject("JSON Schema of a record. A record that violates it is a failure of kind `contract`."),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          max_bytes: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 10_485_760,
              description:
                "Largest size of one reply after decoding, in bytes; by default and at most `limits.expert.reply_decoded_bytes`.",
            }),
          ),
          concurrency: Type.Optional(
            Type.Integer({
              minimum: 1,
              description:
                "Most calls in progress at once, in the whole deployment. Further ones wait, for up to a second.",
            }),
          ),
          rate: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  per: words(
                    ["credential", "source"],
                    "What the rate is counted by. `x-identity` under `credentials` says how inline credentials are counted.",
                  ),
                  max: Type.Integer({
                    minimum: 1,
                    description: "Number of calls allowed in each period, in the whole deployment.",
                  }),
                  every: duration(
                    "Length of a period, 100 ms to 366 days, by the store's clock; a day begins at midnight UTC.",
                  ),
                },
                closed,
              ),
              { minItems: 1 },
            ),
          ),
        },
        {
          ...closed,
          description:
            "The limits that the vendor sets. A call beyond `concurrency` or `rate` is not sent and fails as `shed`.",
        },
      ),
    ),
    charge: Type.Optional(Charge),
    verify: Type.Optional(
      Type.Object(
        { request: RequestRef, ok: Type.Optional(expression("True if the credential is good. By default any 2xx.")) },
        {
          ...closed,
          description:
            "A cheap call that checks a credential. It has no inputs, and never uses a token from an earlier login.",
        },
      ),
    ),
    live: Type.Optional(
      Type.Object(
        {
          inputs: anyObject("Inputs for which the real vendor is known to have a record."),
        },
        {
          ...closed,
          description:
            "Inputs for tests with the real vendor. Use public ones, such as a company's number; never a person's data.",
        },
      ),
    ),
    cases: Type.Optional(
      Type.Array(Case, { description: "Examples, which are also tests, documentation and the simulated vendor." }),
    ),
  },
  { ...closed, patternProperties: { "^x-": {} } },
);

/** The keys for requests and the meaning of replies, in the usual order of a file. */
export const RECIPE = [
  "auth",
  "request",
  "steps",
  "resume",
  "reply",
  "errors",
  "match",
  "map",
  "map_no_record",
  "verify",
] as const;

export type SourceDeclarationFile = Static<typeof SourceFormat>;

/** Each schema that occurs several times in the format, or within itself. */
const SHARED = {
  request: Request,
  error_row: ErrorRow,
  field_map: {
    anyOf: [
      { type: "string", minLength: 1 },
      { type: "object", minProperties: 1, additionalProperties: shared("field_map") },
    ],
  },
  auth: {
    type: "object",
    required: ["kind"],
    discriminator: { propertyName: "kind" },
    oneOf: AUTH_KINDS.map(kindRef),
  },
  login_auth: { anyOf: LOGIN_KINDS.map(kindRef) },
  ...Object.fromEntries(AUTH_KINDS.map((kind) => [`auth_${kindName(kind)}`, kind.schema])),
};

function kindRef(kind: AnyAuthKind) {
  return shared(`auth_${kindName(kind)}`);
}

/** The format's schema as published in `source.schema.json`; a test compares the two. */
export function publishedSchema(): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "A declarative source of datarun",
      ...SourceFormat,
      $defs: SHARED,
    }),
  ) as Record<string, unknown>;
}
