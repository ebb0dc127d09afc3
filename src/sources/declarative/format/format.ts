import { Type, type Static, type TSchema } from "typebox";
import { CHARGE_MODELS } from "../../../terms/charge.ts";
import { FAULT_OF_KIND } from "../../../terms/fault.ts";
import { durationPattern } from "../../../terms/durations.ts";
import { SOURCE_ID } from "../../../terms/ids.ts";
import { CALL_MS_MAX } from "../../../terms/times.ts";

/**
 * The format of a declarative source file. One schema: editors read it as `source.schema.json`, the loader checks files
 * against it, and the compile steps take their types from it. Every description here is the reference's text.
 */

const closed = { additionalProperties: false } as const;

function words<const Names extends readonly string[]>(names: Names, description: string) {
  return Type.Unsafe<Names[number]>({ type: "string", enum: names, description });
}

function text(description: string, options: object = {}) {
  return Type.String({ description, minLength: 1, ...options });
}

const template = (description: string) =>
  Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
    description: `${description} Text may hold templates such as \`{{ inputs.name | upper }}\`.`,
  });

const duration = (description: string) =>
  Type.String({
    description: `${description} Written \`300ms\`, \`5s\`, \`5m\`, \`1h\` or \`1d\`.`,
    pattern: durationPattern("ms", "s", "m", "h", "d"),
  });

const expression = (description: string) => text(`${description} JMESPath over \`status\`, \`headers\` and \`body\`.`);

const schemaOf = (description: string) => Type.Unsafe<Record<string, unknown>>({ type: "object", description });

const Query = Type.Record(Type.String(), template("The parameter's value."), {
  description: "Parameters. One whose optional input is absent is left out; a list repeats the name.",
});
const Headers = Type.Record(Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }), template("The field's value."), {
  description: "Header fields. One whose optional input is absent is left out.",
});

const Body = Type.Object(
  {
    json: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          "A JSON body. Text may hold templates; one that is nothing but a template keeps the type of its value. Members whose input is absent are left out.",
      }),
    ),
    form: Type.Optional(
      Type.Record(Type.String(), template("The field's value."), { description: "A form, URL-encoded." }),
    ),
    xml: Type.Optional(
      schemaOf(
        "An XML body: one member, the root element. `@name` is an attribute, `#text` the text beside attributes, a list repeats its element.",
      ),
    ),
    text: Type.Optional(Type.String({ description: "Text as it is, with templates." })),
    content_type: Type.Optional(text("Instead of the media type that goes with the body.")),
  },
  { ...closed, description: "The body: exactly one of `json`, `form`, `xml` and `text`." },
);

const Request = Type.Object(
  {
    method: Type.Optional(words(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"], "GET unless said.")),
    url: text(
      "The whole address without its query. Templates may stand in the path only, each inside one segment, and are encoded there.",
    ),
    query: Type.Optional(Query),
    headers: Type.Optional(Headers),
    body: Type.Optional(Body),
    redirects: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 5,
        description: "How many redirects to follow, to declared origins only. 0 unless said.",
      }),
    ),
  },
  { ...closed, description: "The one request that asks the vendor." },
);

const ReplyFormat = Type.Object(
  {
    format: words(["json", "xml"], "How the vendor writes its answers. `json` unless said."),
    lists: Type.Optional(
      Type.Array(text("Names from the root element on, joined by dots."), {
        description: "For XML: the elements that are lists however many there are.",
      }),
    ),
  },
  { ...closed, description: "How to read the vendor's answers." },
);

const ApiKey = Type.Object(
  {
    kind: Type.Literal("api_key"),
    header: Type.Optional(text("The header field that carries the key.")),
    query: Type.Optional(text("The parameter that carries the key.")),
    value: template("The key."),
  },
  { ...closed, description: "A key in a header field or in a parameter." },
);
const Basic = Type.Object(
  {
    kind: Type.Literal("basic"),
    username: template("The user."),
    password: template("The password, which may be empty."),
  },
  { ...closed, description: "HTTP Basic authentication." },
);
const Bearer = Type.Object(
  { kind: Type.Literal("bearer"), token: template("The token.") },
  { ...closed, description: "`Authorization: Bearer …`." },
);
const Hmac = Type.Object(
  {
    kind: Type.Literal("hmac"),
    algorithm: words(["sha256", "sha512", "sha384", "sha1"], "The hash."),
    key: template("The shared key."),
    key_encoding: Type.Optional(words(["utf8", "hex", "base64"], "How the key is written. `utf8` unless said.")),
    canonical: Type.String({
      minLength: 1,
      description:
        "The text to sign. Besides `inputs` and `credentials`: `request.method`, `request.host`, `request.path`, `request.query`, `request.body`, `clock.unix`, `clock.unix_ms`, `clock.iso`, `clock.http` and `nonce`.",
    }),
    encoding: words(["hex", "base64", "base64url"], "How the signature is written."),
    header: text("The header field that carries the signature."),
    value: Type.Optional(template("The field's value. `{{ signature }}` unless said.")),
    headers: Type.Optional(Headers),
  },
  { ...closed, description: "A signature over the request. `headers` are sent beside it, for the time and the nonce." },
);
const MutualTls = Type.Object(
  {
    kind: Type.Literal("mtls"),
    cert: text("The client certificate, PEM: one template."),
    key: text("Its private key, PEM: one template."),
    ca: Type.Optional(text("The vendor's own certificate authority, PEM: one template.")),
  },
  { ...closed, description: "A client certificate." },
);
const TokenExchange = Type.Object(
  {
    kind: Type.Literal("token_exchange"),
    request: Request,
    auth: Type.Optional(
      Type.Union([ApiKey, Basic, Bearer, Hmac], { description: "What the login call itself is authenticated by." }),
    ),
    token: expression("Where the token stands in the answer of the login call."),
    expires_in: Type.Optional(expression("Where the answer says for how many seconds the token is good.")),
    default_ttl: Type.Optional(duration("How long a token is good when the answer does not say. `5m` unless said.")),
    early: Type.Optional(
      duration("How long before its end a token is renewed. `30s` unless said, and never more than half its time."),
    ),
    header: Type.Optional(text("The header field that carries the token. `Authorization` unless said.")),
    value: Type.Optional(template("The field's value. `Bearer {{ token }}` unless said.")),
  },
  {
    ...closed,
    description:
      "A login call whose token the request then carries: OAuth client credentials, password grant or any other. Tokens are kept per credential, fetched by one call at a time, and fetched anew once when the vendor answers 401.",
  },
);

const AnyAuth = Type.Unsafe<
  Static<typeof ApiKey | typeof Basic | typeof Bearer | typeof Hmac | typeof MutualTls | typeof TokenExchange>
>({
  type: "object",
  required: ["kind"],
  discriminator: { propertyName: "kind" },
  oneOf: [ApiKey, Basic, Bearer, TokenExchange, Hmac, MutualTls],
});

const ErrorRow = Type.Object(
  {
    when: Type.Object(
      {
        status: Type.Optional(
          Type.Union(
            [Type.Integer(), Type.Array(Type.Integer(), { minItems: 1 }), Type.String({ pattern: "^[1-5]xx$" })],
            {
              description: "A status, several, or a class such as `4xx`.",
            },
          ),
        ),
        predicate: Type.Optional(expression("What must hold.")),
      },
      { ...closed, minProperties: 1, description: "Both must hold when both are given." },
    ),
    kind: words(Object.keys(FAULT_OF_KIND) as (keyof typeof FAULT_OF_KIND)[], "What kind of failure it is."),
    charged: Type.Optional(
      words(
        ["yes", "no", "unknown"],
        "Whether the vendor charges for the answer that says so, where the kind alone does not say it.",
      ),
    ),
  },
  closed,
);

const ScriptedReply = Type.Object(
  {
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599, description: "200 unless said." })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    body: Type.Optional(Type.Unsafe<unknown>({ description: "Text is sent as it is, anything else as JSON." })),
    delay_ms: Type.Optional(Type.Integer({ minimum: 0 })),
    fault: Type.Optional(words(["hang", "reset", "truncate"], "Instead of an answer.")),
  },
  closed,
);
const ExpectedRequest = Type.Object(
  {
    method: Type.Optional(Type.String()),
    path: Type.Optional(Type.String()),
    query: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]))),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    body: Type.Optional(Type.Unsafe<unknown>({ description: "Compared as JSON when it is no text." })),
  },
  { ...closed, description: "What the vendor must have been sent. Only what is named is compared." },
);
function oneOrMore<Item extends TSchema>(item: Item, description: string) {
  return Type.Union([item, Type.Array(item, { minItems: 1 })], { description });
}
const Case = Type.Object(
  {
    name: text("What the case shows."),
    inputs: Type.Record(Type.String(), Type.Unknown()),
    credentials: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "Made up when left out." })),
    context: Type.Optional(words(["prod", "test", "dev"], "`dev` unless said.")),
    reply: Type.Optional(oneOrMore(ScriptedReply, "What the vendor answers, in the order of the requests.")),
    request: Type.Optional(oneOrMore(ExpectedRequest, "What the vendor must have been sent, in order.")),
    expect: Type.Object(
      {
        match: Type.Optional(Type.Boolean({ description: "A record, or none." })),
        output: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), { description: "Equal to the whole output." }),
        ),
        includes: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), { description: "Contained in the output." }),
        ),
        failure: Type.Optional(Type.String({ description: "The kind of failure." })),
        field: Type.Optional(Type.String({ description: "The input or credential field that the message must name." })),
      },
      { ...closed, minProperties: 1, description: "`match` with what comes out, or `failure`." },
    ),
  },
  closed,
);

const FieldMap = Type.Unsafe<FieldMap>({
  description:
    "How the record is made: one expression, or an object of expressions by output field. A field that comes to nothing is left out. Without `map` the vendor's JSON goes through unchanged.",
  anyOf: [
    { type: "string", minLength: 1 },
    { type: "object", minProperties: 1, additionalProperties: { $ref: "#/$defs/field_map" } },
  ],
});
export type FieldMap = string | { readonly [name: string]: FieldMap };

export const SourceFormat = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: "The address of this schema, for editors." })),
    id: Type.String({
      pattern: SOURCE_ID.source,
      description: "`<vendor>__<source_name>`, lower snake case.",
    }),
    title: text("A short name for people."),
    description: Type.Optional(text('What it answers, what "no record" means and what its data is. Markdown.')),
    docs: Type.Optional(text("The vendor's own documentation.")),
    inputs: schemaOf("JSON Schema 2020-12 of one object: the only fields of a request that reach this source."),
    credentials: Type.Optional(schemaOf("JSON Schema of the credential's fields. Left out: it takes none.")),
    origins: Type.Array(text("`https://host[:port]`, or a pattern such as `https://*.registry.example`."), {
      minItems: 1,
      description: "The only places its requests may reach.",
    }),
    timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: CALL_MS_MAX,
        description: "From the arrival of the request; 15000 unless said.",
      }),
    ),
    auth: Type.Optional(
      Type.Unsafe<Static<typeof AnyAuth> | Static<typeof AnyAuth>[]>({
        description: "How a request proves who sends it: one kind, or several that stack.",
        if: { type: "array" },
        // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's own keyword
        then: { items: AnyAuth, minItems: 1 },
        else: AnyAuth,
      }),
    ),
    request: Request,
    reply: Type.Optional(ReplyFormat),
    errors: Type.Optional(
      Type.Array(ErrorRow, {
        description: "Failures by name, in order; the first that holds counts. Looked at before `match`.",
      }),
    ),
    match: Type.Object(
      { record: expression("True when the vendor found a record."), no_record: expression("True when it found none.") },
      { ...closed, description: "Both are needed. Neither or both true is a failure, never a guess." },
    ),
    map: Type.Optional(FieldMap),
    map_no_record: Type.Optional(FieldMap),
    output: Type.Optional(schemaOf("JSON Schema of a record. One that does not fit is a failure of kind `contract`.")),
    limits: Type.Optional(
      Type.Object(
        {
          max_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_485_760 })),
          concurrency: Type.Optional(Type.Integer({ minimum: 1 })),
          rate: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  per: words(["credential", "source"], "What the rate is counted by."),
                  max: Type.Integer({ minimum: 1, description: "So many calls" }),
                  every: duration("in so long."),
                },
                closed,
              ),
              { minItems: 1 },
            ),
          ),
        },
        { ...closed, description: "What the vendor allows. A call beyond it fails at once and is not sent." },
      ),
    ),
    charge: Type.Optional(
      Type.Union(
        [
          words(CHARGE_MODELS, "The model alone."),
          Type.Object(
            {
              model: words(CHARGE_MODELS, "What is billed."),
              when: Type.Optional(
                text(
                  "What must hold for a request to be billed so; otherwise it is free. JMESPath over `inputs`, `status`, `headers` and `body`. One that is about inputs alone is known before anything is sent.",
                ),
              ),
              amount: Type.Optional(Type.Number({ minimum: 0 })),
              currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
            },
            closed,
          ),
        ],
        {
          description:
            "What the vendor bills: nothing, every request, every request that it completes, or a record. `per_call` unless said.",
        },
      ),
    ),
    verify: Type.Optional(
      Type.Object(
        { request: Request, ok: Type.Optional(expression("What must hold. Any 2xx unless said.")) },
        { ...closed, description: "A cheap call that proves a credential. It has no inputs." },
      ),
    ),
    cases: Type.Optional(
      Type.Array(Case, { description: "Examples, documentation, tests and the simulated vendor at once." }),
    ),
  },
  { ...closed, patternProperties: { "^x-": {} } },
);

export type SourceFile = Static<typeof SourceFormat>;
export type RequestFile = Static<typeof Request>;
export type BodyFile = Static<typeof Body>;
export type AuthFile = Static<typeof AnyAuth>;
export type HmacFile = Static<typeof Hmac>;
export type MutualTlsFile = Static<typeof MutualTls>;
export type TokenExchangeFile = Static<typeof TokenExchange>;
export type ErrorRowFile = Static<typeof ErrorRow>;
