import { readFileSync } from "node:fs";
import { FILTERS } from "../../src/sources/declarative/request/filters.ts";
import { MOMENT_NAMES } from "../../src/sources/declarative/request/template.ts";
import { publishedSchema } from "../../src/sources/declarative/format/format.ts";
import { EXAMPLE_ANSWER, expressionRows } from "./expression-rows.ts";
import { block, code, generated, page, table, type Page } from "./markdown.ts";
import { typeOf } from "../../src/terms/schema/schema-fields.ts";

interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly then?: { readonly items?: Schema };
  readonly const?: string;
}

/** What each filter returns. A filter without a line here, or a line without a filter, stops the generator. */
const FILTER_SAYS: Readonly<Record<string, string>> = {
  upper: "the text in upper case",
  lower: "the text in lower case",
  trim: "the text without white space at both ends",
  digits: "only its digits 0 to 9",
  alphanumeric: "only its digits and the letters A to Z and a to z; `alphanumeric('+*')` keeps those characters too",
  zero_pad: "padded with leading zeros to a length: `zero_pad(10)`",
  first: "its first characters: `first(2)`",
  last: "its last characters: `last(4)`",
  map: "one value replaced by another, every other value as it is: `map('GR', 'EL')`",
  without_prefix: "without that prefix, if it has it: `without_prefix('DE')`",
  e164: "a phone number as `+442079460018`; `e164('GB')` sets the country of a number without a country code. Other text around the number, or an extension, fails the call",
  date: "a date in the vendor's format: `date('DD.MM.YYYY')`; also with `YY`, `M`, `D`, and for a time `HH`, `mm`, `ss`, `SSS`, in its own zone",
  base64: "Base64 of its UTF-8",
  base64url: "Base64 for URLs",
  percent_encode:
    "percent-encoded except for letters, digits and `-._~`; `percent_encode('/')` keeps those characters too",
  sort_parameters: "the parameters of a query or a form, sorted by name, then by value",
  sha512: "SHA-512, as `sha256`",
  sha256: "SHA-256 of its UTF-8, in hexadecimal; or as `sha256('base64')` or `sha256('base64url')`",
  sha1: "SHA-1, for vendors that require it",
  md5: "MD5, for vendors that require it",
  lucene_quote: "in quotes, with characters that are special in Lucene escaped",
  default: "another value if there is none: `default('en')`",
  join: "a list as one text: `join(',')`. An entry that contains the separator fails the call; an empty list counts as no value",
  json: "the value as JSON text",
};

const STEPS_EXAMPLE = `steps:
  - name: person
    free: true
    request: {url: 'https://api.vendor.example/people', query: {name: '{{ inputs.name }}'}}
    match: {no_record: length(body.hits) == \`0\`}
  - name: score
    request: {url: 'https://api.vendor.example/people/{{ steps.person.body.hits[0].id }}/score'}
map: {name: 'steps.person.body.hits[0].name', score: body.score}`;

const POLL_EXAMPLE = `steps:
  - name: order
    request: {method: POST, url: 'https://api.vendor.example/orders', body: {json: {name: '{{ inputs.name }}'}}}
    order_id: body.id
  - name: report
    free: true
    request: {url: 'https://api.vendor.example/orders/{{ order_id }}'}
    poll: {until: body.state == 'done', fail_when: body.state == 'failed', first_after_ms: 500, every_ms: 1000}`;

const REPEAT_EXAMPLE = `steps:
  - name: list
    request: {url: 'https://api.vendor.example/hits', query: {cursor: '{{ steps.list.body.next }}'}}
    repeat: {while: body.next, max: 8}
match: {record: 'steps.list.pages[].hits[]', no_record: 'body && !(steps.list.pages[].hits[])'}
map: {names: 'steps.list.pages[].hits[].name', complete: '!(body.next)'}`;

const NEXT_EXAMPLE = `steps:
  - name: list
    request: {url: 'https://api.vendor.example/hits', query: {name: '{{ inputs.name }}'}}
    repeat: {next: headers.link, max: 8}`;

const MULTIPART_EXAMPLE = `body:
  multipart:
    country: '{{ inputs.country }}'
    document: {file: '{{ inputs.document }}', name: document.png, type: image/png}`;

const CSV_EXAMPLE = `reply: {format: csv, delimiter: ;}
match: {record: 'body[0]', no_record: 'status == \`200\` && body == \`[]\`'}
map: {names: 'body[?"Status" == \`"active"\`]."Company name"'}`;

const RESUME_EXAMPLE = `inputs:
  type: object
  properties: {name: {type: string}, order_id: {type: string, maxLength: 60}}
  anyOf: [{required: [name]}, {required: [order_id]}]
resume: {step: report}`;

const LIVE_EXAMPLE = `live: {inputs: {company_number: '00000006'}}`;

const CHARGE_EXAMPLE = `charge:
  - {when: body.from_cache, amount: 0}
  - {when: inputs.express, amount: 0.9, currency: EUR}
  - {model: per_success, amount: 0.35, currency: EUR}`;

/** The schema itself, for editors. */
export function sourceSchema(): Page {
  return {
    path: "src/sources/declarative/source.schema.json",
    text: `${JSON.stringify(publishedSchema(), null, 2)}\n`,
  };
}

/** The format of declarative sources, from its JSON Schema. */
export function sourceFormatPage(): Page {
  const root = inlined(publishedSchema());
  const at = (...path: readonly string[]): Schema =>
    path.reduce((schema, name) => objectOf(schema).properties![name]!, root);
  const kinds = (at("auth").then?.items?.oneOf ?? []).map((kind) => ({ name: kind.properties!["kind"]!.const!, kind }));
  return page(
    "docs/reference/source-format.md",
    generated("the format in src/sources/declarative/format/format.ts"),
    "# The format of a source file",
    `A source that is a few HTTP calls and a mapping is one YAML file. ${code("npx datarun source new")} writes a draft; the [tutorial](../tutorials/from-api-docs-to-source.md) shows every step. A source that computes what no expression can is written [in TypeScript](typescript-sources.md). An unknown key is an error, unless it begins with ${code("x-")}. Editors check a file whose first line names the schema:`,
    block("yaml", "# yaml-language-server: $schema=…/src/sources/declarative/source.schema.json"),
    `A value of the type *expression* is an [expression](#expressions) over the reply unless other values are named. A *template* may contain [templates](#templates). A *duration* is written ${code("300ms")}, ${code("5s")}, ${code("5m")}, ${code("1h")} or ${code("1d")}.`,
    "## The file",
    fields(root, [], SECTIONS),
    "## `request`",
    `${at("request").description} An absent optional input drops its parameter, header or member. Every value is encoded for its position.`,
    fields(at("request")),
    "### `request.body`",
    at("request", "body").description!,
    fields(at("request", "body")),
    block("yaml", MULTIPART_EXAMPLE),
    `A file is a part only if its value is present. A value that is not Base64 fails the call before anything is sent. A case shows the parts by name, and a file as its object. ${code("auth")} cannot sign a multipart body.`,
    "## `steps`",
    at("steps").description!,
    block("yaml", STEPS_EXAMPLE),
    fields(at("steps").items!),
    `A step's reply is evaluated in this order: the step's ${code("errors")}, the file's ${code("errors")}, the step's ${code("match.no_record")}. After that its status must be 2xx or one of ${code("answers")}; for the last step, the file's ${code("match")} decides instead. ${code("match")}, ${code("map")} and ${code("map_no_record")} can read ${code("steps.<name>")} of every step; a skipped step has no value. A file that reads a later step is refused.`,
    `The inputs of all requests are checked before the first request is sent. Each request has [a charge of its own](../explanation/charges-and-records.md#what-was-charged). An error status of a ${code("free")} request does not change the charge of the order before it; a failure that it reports in a readable reply, or by a row of ${code("errors")} with ${code("charged")}, does.`,
    "### `steps.poll`",
    at("steps").items!.properties!["poll"]!.description!,
    block("yaml", POLL_EXAMPLE),
    fields(at("steps").items!.properties!["poll"]!),
    `If the vendor is not ready after ${code("max_polls")}, or the next wait would pass the deadline, the source fails as ${code("pending")}. A poll whose reply fits no rule fails the source.`,
    "### `steps.repeat`",
    at("steps").items!.properties!["repeat"]!.description!,
    block("yaml", REPEAT_EXAMPLE),
    fields(at("steps").items!.properties!["repeat"]!),
    block("yaml", NEXT_EXAMPLE),
    `A link is an address (${code("https://…")}, or relative to the page before it: ${code("/hits?after=7")}, ${code("?after=7")}), or a field ${code("Link")} as in RFC 8288. Without one (${code("null")}, ${code("false")} or an empty text) the list ends; ${code("while")} beside ${code("next")} can end it earlier. The request for it has the method, header fields, body and authentication of the step. A link to another origin, or to a page that was requested before, fails the source as ${code("contract")}.`,
    `Each page is a request with a charge of its own. The plan of a run counts all that ${code("max")} allows, and the time limit of the source holds over all. Only the first page can mean that there is no record. A further page that is refused, unreadable or empty fails the source.`,
    "## `resume`",
    at("resume").description!,
    block("yaml", RESUME_EXAMPLE),
    fields(at("resume")),
    `Declare in ${code("inputs")} which inputs are required together. Requests from the named step on use ${code("{{ order_id }}")} and cannot read replies of earlier steps. Every caller of the source may fetch any order of the same credential, so the numbers are as confidential as the reports.`,
    "## `reply`",
    fields(at("reply")),
    block("yaml", CSV_EXAMPLE),
    `CSV is read as in RFC 4180, up to 2 MiB: all cells are texts, an empty cell is ${code("null")}, and blank lines are no rows. Lines of another number of cells are a failure of kind ${code("contract")}. A text, lines or CSV without any byte is ${code("null")}. ${code("auth.reply")} of ${code("token_exchange")} has the same keys but ${code("lenient")}.`,
    `XML is read into the form of ${code("request.body.xml")}, with all values as texts. Prefixes of namespaces are dropped (${code("xsi:type")} is ${code("@type")}), except from an attribute beside another one of the same name. White space is dropped at the ends of a text and between elements. An element without content with ${code('xsi:nil="true"')} (or ${code("1")}) is ${code("null")}.`,
    `A reply that is valid UTF-8 is read as UTF-8. Any other is decoded with the charset of its ${code("Content-Type")} or of its XML declaration, by the labels of the [Encoding Standard](https://encoding.spec.whatwg.org/#names-and-labels). UTF-16 is recognised by its first bytes.`,
    "## `auth`",
    at("auth").description!,
    "[Authentication at a vendor](../guides/vendor-authentication.md) has an example for each kind.",
    ...kinds.flatMap(({ name, kind }) => [
      `### ${code(`kind: ${name}`)}`,
      kind.description!,
      fields(kind, ["kind"]),
      ...(name === "hmac" ? [`Each entry of ${code("derive")}:`, fields(kind.properties!["derive"]!.items!)] : []),
    ]),
    "## `errors`",
    at("errors").description!,
    fields(at("errors").items!),
    fields(objectOf(at("errors").items!).properties!["when"]!),
    "A reply to which no row, neither side of `match` and no rule for statuses applies is a failure of kind `contract`. Without a row, statuses mean: 401 and 403 `credential`, 429 `rate_limited`, other 4xx `vendor_4xx`, 5xx `vendor_5xx`.",
    "## `match`",
    at("match").description!,
    fields(at("match")),
    "## `limits`",
    at("limits").description!,
    fields(at("limits")),
    fields(at("limits", "rate").items!),
    "## `charge`",
    `${at("charge").description} [Charges and records](../explanation/charges-and-records.md#what-was-charged) has the rules.`,
    fields(at("charge")),
    `Or a list of rows, of which the first that applies counts:`,
    block("yaml", CHARGE_EXAMPLE),
    fields(at("charge").anyOf!.find(({ items }) => items !== undefined)!.items!, ["amount", "currency"]),
    "Each row can have `amount` and `currency`. The rule is evaluated over the reply of each request that is not `free`. One that cannot be evaluated never lowers a charge.",
    "## `verify`",
    `${at("verify").description} [${code("datarun credential verify")}](commands.md#credential-verify) makes this call.`,
    fields(at("verify")),
    "## `live`",
    `${at("live").description} ${code("source test ID --live")} and ${code("prove")} send them. The reply is compared with the first case with a record.`,
    block("yaml", LIVE_EXAMPLE),
    fields(at("live")),
    "## `cases`",
    `${at("cases").description} They may also be a JSON list in ${code("<name>.cases.json")} beside the file.`,
    fields(at("cases").items!),
    "### A case's `reply`",
    fields(itemOf(objectOf(at("cases").items!).properties!["reply"]!)),
    "### A case's `request`",
    itemOf(objectOf(at("cases").items!).properties!["request"]!).description!,
    fields(itemOf(objectOf(at("cases").items!).properties!["request"]!)),
    "### A case's `expect`",
    objectOf(at("cases").items!).properties!["expect"]!.description!,
    fields(objectOf(at("cases").items!).properties!["expect"]!),
    "## Templates",
    `${code("{{ inputs.name }}")}, ${code("{{ credentials.name }}")}, ${code("{{ context }}")} and ${code("{{ region }}")}, each with any number of filters: ${code("{{ inputs.vin | trim | upper }}")}. Names continue with dots, ${code("[0]")} is an entry of a list, and ${code("[-1]")} its last one. [Steps](#steps) also have ${code("{{ steps.<name>.body.id }}")}, ${code(".status")}, ${code(".headers.location")}, and ${code("{{ order_id }}")}. ${code("{{ concat(inputs.first, ' ', inputs.last) | upper }}")} applies a filter to a whole text. ${code("{{ '}}' }}")} writes a text as it is, here two braces.`,
    `Each request has values of its own:`,
    table(["value", "meaning"], momentRows()),
    table(["filter", "result"], filterRows()),
    `If a filter that removes characters (${shortening().map(code).join(", ")}) leaves nothing, the call fails, the message names the field, and nothing is sent. The same holds for a value in a path that cannot be one segment: ${code(".")}, ${code("..")}, an empty text, or one with ${code("/")} or a backslash, also percent-encoded, or with a control character. Declare a ${code("pattern")} for such an input, or send it as a parameter.`,
    "## Expressions",
    `An expression is [JMESPath, community edition](https://jmespath.site/main/#specification), over ${code("status")} (a number), ${code("headers")} (names in lower case) and ${code("body")}. JSON values are written in backticks (\`\` status == \`404\` \`\`), text in single quotes (${code("body.code == 'NO_HIT'")}), and a name with special characters in double quotes (${code('body."birth-date"')}). Numbers keep all their digits; arithmetic refuses a number that would have to be rounded.`,
    `An expression with an argument of a wrong type cannot be evaluated: a rule with it does not apply, and a field of ${code("map")} with it is a failure of kind ${code("contract")}. ${code("not_null(x, `[]`)")} gives a default for a value that may be absent. The examples are over the reply below the table; arguments in square brackets are optional:`,
    table(["function", "result", "example"], expressionRows()),
    block("json", EXAMPLE_ANSWER),
    "## Errors in a file",
    `Each error is reported with file, line, column and a hint. It ends with a code that does not change between versions: ${codes().map(code).join(", ")}.`,
  );
}

/** What each value of a request's moment is. A name without a line here, or a line without a name, stops the generator. */
const MOMENT_SAYS: Readonly<Record<string, string>> = {
  "clock.unix": "the time in seconds since 1970, a number",
  "clock.unix_ms": "the time in milliseconds since 1970, a number",
  "clock.iso": "`2024-01-02T03:04:05.678Z`; with the filter `date` in any other form",
  "clock.iso_seconds": "`2024-01-02T03:04:05Z`",
  "clock.compact": "`20240102T030405Z`",
  "clock.day": "`20240102`",
  "clock.http": "`Tue, 02 Jan 2024 03:04:05 GMT`",
  nonce:
    "a random text of 36 characters, a UUID; `{{ nonce | alphanumeric }}` has 32. A new one each time that a request is sent",
  request_id:
    "a UUID, for idempotency keys. A new one for each request; it stays the same if the request is sent again because a token was refused",
};

function momentRows(): string[][] {
  const known = Object.entries(MOMENT_NAMES).flatMap(
    ([root, names]) => names?.map((name) => `${root}.${name}`) ?? [root],
  );
  const told = Object.keys(MOMENT_SAYS);
  if (known.toSorted().join() !== told.toSorted().join())
    throw new Error("tools/reference/source-format-page.ts and the values of a request disagree");
  return told.map((name) => [code(`{{ ${name} }}`), MOMENT_SAYS[name]!]);
}

function filterRows(): string[][] {
  const [known, told] = [Object.keys(FILTERS), Object.keys(FILTER_SAYS)];
  const astray = [...known.filter((name) => !told.includes(name)), ...told.filter((name) => !known.includes(name))];
  if (astray.length > 0)
    throw new Error(`tools/reference/source-format-page.ts and the filters disagree on ${astray.join(", ")}`);
  return known.map((name) => [code(name), FILTER_SAYS[name]!]);
}

function shortening(): string[] {
  return Object.keys(FILTERS).filter((name) => FILTERS[name]!.shortens === true);
}

function codes(): string[] {
  const text = readFileSync(
    new URL("../../src/sources/declarative/format/declaration-error.ts", import.meta.url),
    "utf8",
  );
  return [...text.matchAll(/^ {2}\| "([a-z._]+)"/gm)].map(([, name]) => name!);
}

/** The schema with what each `$ref` refers to in its place, except within the field map, which refers to itself. */
function inlined(schema: Readonly<Record<string, unknown>>): Schema {
  const defs = schema["$defs"] as Readonly<Record<string, object>>;
  const text = JSON.stringify(schema, (key, value: { readonly $ref?: string } | null) => {
    if (value?.$ref === undefined || key === "additionalProperties") return value;
    const { $ref, ...own } = value;
    return { ...defs[$ref.slice("#/$defs/".length)], ...own };
  });
  return JSON.parse(text) as Schema;
}

/** The object among what a value may be. */
function objectOf(schema: Schema): Schema {
  if (schema.properties !== undefined) return schema;
  return (schema.anyOf ?? schema.oneOf ?? []).find(({ properties }) => properties !== undefined) ?? schema;
}

/** One of what may also be a list of several. */
function itemOf(schema: Schema): Schema {
  return objectOf(schema);
}

/** The keys of a file whose meaning is in a section of their own. */
const SECTIONS = [
  "request",
  "steps",
  "resume",
  "reply",
  "auth",
  "errors",
  "match",
  "limits",
  "charge",
  "verify",
  "live",
  "cases",
];

/** What the descriptions of many keys end with; the page has it once, as their type. */
const OVER = / JMESPath over (.+?)\./;
const TEMPLATES = / Text may contain templates such as .*$/;
const DURATIONS = / Written `300ms`.*$/;
const SUFFIXES = [OVER, TEMPLATES, DURATIONS];

function fields(schema: Schema, without: readonly string[] = [], elsewhere: readonly string[] = []): string {
  const { properties = {}, required = [] } = objectOf(schema);
  const rows = Object.entries(properties)
    .filter(([name]) => !without.includes(name))
    .map(([name, property]) => {
      const kind = property.const === undefined ? kindInFile(property) : code(property.const);
      const { description = "" } = property;
      return [
        code(name),
        `${kind}${required.includes(name) ? ", required" : ""}`,
        elsewhere.includes(name)
          ? `[below](#${name})`
          : SUFFIXES.reduce((text, suffix) => text.replace(suffix, ""), description),
      ];
    });
  return table(["key", "type", "meaning"], rows);
}

/** What may be written for a key: an expression, a template or a duration where its description ends like one. */
function kindInFile(property: Schema): string {
  const { description = "" } = property;
  const [, over] = OVER.exec(description) ?? [];
  if (over !== undefined) return expressionOver(over);
  if (TEMPLATES.test(description)) return "template";
  return DURATIONS.test(description) ? "duration" : kindOf(property);
}

function expressionOver(values: string): string {
  if (values === "`status`, `headers` and `body`") return "expression";
  return values.startsWith("`status`") ? "expression, also over `steps`" : `expression over ${values}`;
}

function kindOf(schema: Schema): string {
  if (schema.then?.items !== undefined) return "object or list of objects";
  if (schema.type === undefined && schema.anyOf === undefined && (schema as { enum?: unknown }).enum === undefined)
    return "any";
  return typeOf(schema as Parameters<typeof typeOf>[0]);
}
