import type { Static, TSchema } from "typebox";
import { Type } from "../../../terms/type.ts";
import { SOURCE_ID } from "../../../terms/ids.ts";
import { CALL_MS_MAX } from "../../../terms/times.ts";
import { AUTH_KINDS, type AuthFile } from "../auth/compile-auth.ts";
import { ErrorRow, ReplyFormat, Request } from "./exchange-format.ts";
import { Charge } from "./charge-format.ts";
import { Resume, Steps } from "./steps-format.ts";
import { closed, duration, expression, schemaOf, text, words } from "./format-words.ts";

/**
 * The format of a declarative source file. One schema: editors read it as `source.schema.json`, the loader checks files
 * against it, and the compile steps take their types from it. Every description here is the reference's text.
 */

const AnyAuth = Type.Unsafe<AuthFile>({
  type: "object",
  required: ["kind"],
  discriminator: { propertyName: "kind" },
  oneOf: AUTH_KINDS.map(({ schema }) => schema),
});

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
    body: Type.Optional(Type.Unsafe<unknown>({ description: "Compared as JSON when it is not text." })),
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
      Type.Unsafe<AuthFile | readonly AuthFile[]>({
        description: "How a request proves who sends it: one kind, or several that stack.",
        if: { type: "array" },
        // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's own keyword
        then: { items: AnyAuth, minItems: 1 },
        else: AnyAuth,
      }),
    ),
    request: Type.Optional(Request),
    steps: Type.Optional(Steps),
    resume: Type.Optional(Resume),
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
    charge: Type.Optional(Charge),
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

/** Keys that say how to ask and what answers mean, in the order in which a file is read. */
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

export type SourceFile = Static<typeof SourceFormat>;

/** The schema of the format as it is published beside this file; a test keeps the two equal. */
export function publishedSchema(): Record<string, unknown> {
  const format = JSON.parse(JSON.stringify(SourceFormat)) as Record<string, unknown>;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A declarative source of datarun",
    ...format,
    $defs: {
      field_map: {
        anyOf: [
          { type: "string", minLength: 1 },
          { type: "object", minProperties: 1, additionalProperties: { $ref: "#/$defs/field_map" } },
        ],
      },
    },
  };
}
