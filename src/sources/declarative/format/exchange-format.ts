import type { Static } from "typebox";
import { FAULT_OF_KIND } from "../../../terms/fault.ts";
import { Type } from "../../../terms/schema/type.ts";
import { anyObject, closed, expression, METHODS, shared, template, text, words } from "./format-words.ts";

/** The parts of the format for one request, and for how its reply is read. */

const Query = Type.Record(Type.String(), template("The parameter's value."), {
  description: "Parameters. A list repeats the name.",
});
export const Headers = Type.Record(
  Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }),
  template("The field's value."),
  {
    description: "Header fields.",
  },
);

const FilePart = Type.Object(
  {
    file: text("The content in Base64: one template."),
    name: text("The file name, with templates."),
    type: text("The media type, with templates."),
  },
  closed,
);

const Body = Type.Object(
  {
    json: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          "A JSON body. Texts may contain templates; a text that is only a template keeps the type of its value.",
      }),
    ),
    form: Type.Optional(
      Type.Record(Type.String(), template("The field's value."), { description: "A form, URL-encoded." }),
    ),
    xml: Type.Optional(
      anyObject(
        "An XML body with one member, the root element. `@name` is an attribute, `#text` is the text of an element with attributes, and a list repeats its element.",
      ),
    ),
    text: Type.Optional(Type.String({ description: "A body of text, with templates." })),
    multipart: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([Type.String(), Type.Number(), Type.Boolean(), FilePart], {
          description: "A template, or an object of `file`, `name` and `type`.",
        }),
        {
          description:
            "A form with files, `multipart/form-data`. A field is a template, and a list repeats it. A file is an object of `file`, the content in Base64 as one template; `name`, the file name; and `type`, the media type. Limit its size with `maxLength` of the input.",
        },
      ),
    ),
    content_type: Type.Optional(text("Media type to send instead of the usual one for this body.")),
  },
  { ...closed, description: "The body: exactly one of `json`, `form`, `xml`, `text` and `multipart`." },
);

export const Request = Type.Object(
  {
    method: Type.Optional(words(METHODS, "GET by default.")),
    url: text(
      "The address without its query. Templates may only be in the path, each within one segment, and are encoded there.",
    ),
    query: Type.Optional(Query),
    headers: Type.Optional(Headers),
    body: Type.Optional(Body),
    redirects: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 5,
        description: "How many redirects to follow, to declared origins only. 0 by default.",
      }),
    ),
  },
  { ...closed, description: "A request that asks the vendor." },
);
export const RequestRef = shared<RequestFile>("request");

const reading = {
  format: Type.Optional(
    words(
      ["json", "xml", "text", "lines", "csv", "form"],
      "The format of the vendor's replies. `json` by default. `text` is one text, `lines` a list of texts, `csv` a list of rows, `form` an object of the fields of a URL-encoded form.",
    ),
  ),
  lists: Type.Optional(
    Type.Array(Type.Union([text("Names joined by dots."), Type.Array(text("A name."), { minItems: 1 })]), {
      description:
        "For XML: elements that become lists even if there is only one, as names from the root element on, joined by dots, or as a list if a name contains a dot: `[resp.hits.hit, [service.response, hit]]`.",
    }),
  ),
  delimiter: Type.Optional(
    Type.String({ pattern: "^[\\t !#-~]$", description: "For CSV: the character between two cells. `,` by default." }),
  ),
  header: Type.Optional(
    Type.Boolean({
      description:
        "For CSV: whether the first line names the columns. Then a row is an object, otherwise a list. True by default.",
    }),
  ),
};

export const StepReply = Type.Object(reading, {
  ...closed,
  description: "How to read the step's reply, if not as the file's `reply` says. It has no `lenient`.",
});

export const LoginReply = Type.Object(reading, { ...closed, description: "How to read the reply to the login call." });

export const ReplyFormat = Type.Object(
  {
    ...reading,
    lenient: Type.Optional(
      Type.Boolean({
        description:
          "Accepts replies that violate HTTP/1.1, as Node's lenient parser does: lines that end with LF alone or continue the previous one, blanks before a colon, control characters in values, a length together with chunked (which wins), chunks with incomplete line ends. `check --production` reports it.",
      }),
    ),
  },
  { ...closed, description: "How to read the vendor's replies." },
);

export const ErrorRow = Type.Object(
  {
    when: Type.Object(
      {
        status: Type.Optional(
          Type.Union(
            [Type.Integer(), Type.Array(Type.Integer(), { minItems: 1 }), Type.String({ pattern: "^[1-5]xx$" })],
            {
              description: "A status, a list of statuses, or a class such as `4xx`.",
            },
          ),
        ),
        predicate: Type.Optional(expression("A condition.")),
      },
      { ...closed, minProperties: 1, description: "If both are given, both must be true." },
    ),
    kind: words(Object.keys(FAULT_OF_KIND) as (keyof typeof FAULT_OF_KIND)[], "The kind of failure."),
    charged: Type.Optional(
      words(["yes", "no", "unknown"], "Whether the vendor charges for the reply, if the kind does not decide that."),
    ),
  },
  closed,
);
export const ErrorRowRef = shared<ErrorRowFile>("error_row");

export type RequestFile = Static<typeof Request>;
export type BodyFile = Static<typeof Body>;
/** The keys of `reply` that decide how a body is read. */
export type ReadingFile = Static<typeof LoginReply>;
export type ErrorRowFile = Static<typeof ErrorRow>;
