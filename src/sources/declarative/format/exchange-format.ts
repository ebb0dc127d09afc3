import type { Static } from "typebox";
import { FAULT_OF_KIND } from "../../../terms/fault.ts";
import { Type } from "../../../terms/type.ts";
import { closed, expression, schemaOf, template, text, words } from "./format-words.ts";

/** What a file says of one request, and of how its answer is read. */

const Query = Type.Record(Type.String(), template("The parameter's value."), {
  description: "Parameters. One whose optional input is absent is left out; a list repeats the name.",
});
export const Headers = Type.Record(
  Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }),
  template("The field's value."),
  {
    description: "Header fields. One whose optional input is absent is left out.",
  },
);

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

export const Request = Type.Object(
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
  { ...closed, description: "A request that asks the vendor." },
);

export const ReplyFormat = Type.Object(
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

export const ErrorRow = Type.Object(
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

export type RequestFile = Static<typeof Request>;
export type BodyFile = Static<typeof Body>;
export type ReplyFile = Static<typeof ReplyFormat>;
export type ErrorRowFile = Static<typeof ErrorRow>;
