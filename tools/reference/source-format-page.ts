import { readFileSync } from "node:fs";
import { FILTERS } from "../../src/sources/declarative/request/filters.ts";
import { publishedSchema } from "../../src/sources/declarative/format/format.ts";
import { EXAMPLE_ANSWER, expressionRows } from "./expression-rows.ts";
import { block, code, generated, page, table, type Page } from "./markdown.ts";
import { typeOf } from "../../src/terms/schema-fields.ts";

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
  date: "a date in the vendor's format: `date('DD.MM.YYYY')`",
  base64: "Base64 of its UTF-8",
  base64url: "Base64 for URLs",
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
  const root = publishedSchema() as Schema;
  const at = (...path: readonly string[]): Schema =>
    path.reduce((schema, name) => objectOf(schema).properties![name]!, root);
  const kinds = (at("auth").then?.items?.oneOf ?? []).map((kind) => ({ name: kind.properties!["kind"]!.const!, kind }));
  return page(
    "docs/reference/source-format.md",
    generated("the format in src/sources/declarative/format/format.ts"),
    "# The format of a source file",
    `A source that is one HTTP call or a few, and a mapping, is one YAML file. ${code("npx datarun source new")} writes a draft; the [tutorial](../tutorials/from-api-docs-to-source.md) shows every step. A key that is not listed here is an error, unless it begins with ${code("x-")}: such keys are for your own use. Editors can complete and check a file whose first line names the schema:`,
    block("yaml", "# yaml-language-server: $schema=…/src/sources/declarative/source.schema.json"),
    "A file describes one request or [several steps](#steps), and a login before them if necessary. If you have to page through a list, or compute something that no expression can, write the source [in TypeScript](typescript-sources.md).",
    "## The file",
    fields(root),
    "## `request`",
    `${at("request").description} An absent optional input drops its parameter, header or member. Every value is encoded for its position, so that no value can change the host or the structure of the path, or add a parameter or header.`,
    fields(at("request")),
    "### `request.body`",
    at("request", "body").description!,
    fields(at("request", "body")),
    "## `steps`",
    at("steps").description!,
    block("yaml", STEPS_EXAMPLE),
    fields(at("steps").items!),
    `A step's reply is evaluated in this order: the step's ${code("errors")}, the file's ${code("errors")}, the step's ${code("match.no_record")}. After that its status must be 2xx or one of ${code("answers")}; any other is a failure. For the last step, the file's ${code("match")} takes the place of this rule. ${code("match")}, ${code("map")} and ${code("map_no_record")} can read ${code("steps.<name>")} of every step; a step that was skipped has no value. A file in which something reads a later step is refused when it is loaded.`,
    `The inputs that any request needs are checked before the first request is sent. An order is sent once, whatever happens afterwards. Each request has [a charge of its own](../explanation/charges-and-records.md#what-was-charged): an error status of a ${code("free")} request says nothing about the order before it, but a failure that it reports in a readable reply, or for which a row of ${code("errors")} has ${code("charged")}, is about the order.`,
    "### `steps.poll`",
    at("steps").items!.properties!["poll"]!.description!,
    block("yaml", POLL_EXAMPLE),
    fields(at("steps").items!.properties!["poll"]!),
    `If the vendor is not ready at the deadline, or after ${code("max_polls")}, the source fails as ${code("pending")}. If the next wait would go beyond the deadline, it fails at once. With ${code("order_id")} the failure names the order. A poll whose reply fits no rule, such as one with status 400, fails the source; then too the failure names the order.`,
    "## `resume`",
    at("resume").description!,
    block("yaml", RESUME_EXAMPLE),
    fields(at("resume")),
    `A report that takes ten minutes is then two runs and one bill. The order's number and whatever only the order needs are all inputs: say in ${code("inputs")} which of them are required together. A run with an order's number begins at the named step, whatever other inputs it has; its polls are free as usual. Requests of those steps use ${code("{{ order_id }}")} and cannot read replies of earlier steps. Whoever may call the source may fetch any order of the same credential, so treat the numbers as confidentially as the reports.`,
    "## `reply`",
    fields(at("reply")),
    `XML is read into the form that ${code("request.body.xml")} has, with all values as texts. Prefixes of namespaces are dropped: ${code("xsi:type")} is ${code("@type")}. If an element has two attributes of the same name apart from their prefixes, those with a prefix keep it: ${code("xsi:type")} is ${code("@xsi:type")} beside ${code("type")}. White space is dropped at the ends of a text and between elements, but not between two parts of one text, such as two CDATA sections.`,
    `An element without content that has ${code("nil")} of the namespace ${code("http://www.w3.org/2001/XMLSchema-instance")} with the value ${code("true")} or ${code("1")}, usually written ${code('xsi:nil="true"')}, is ${code("null")}.`,
    `A reply that is valid UTF-8 is read as UTF-8, whatever it declares. Any other is decoded with the charset that its header field ${code("Content-Type")} names or, for XML, its XML declaration. Every label of the [Encoding Standard](https://encoding.spec.whatwg.org/#names-and-labels) can be used; ${code("ISO-8859-1")} means windows-1252 there. UTF-16 is recognised by its first bytes.`,
    "## `auth`",
    at("auth").description!,
    ...kinds.flatMap(({ name, kind }) => [`### ${code(`kind: ${name}`)}`, kind.description!, fields(kind, ["kind"])]),
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
    `${at("charge").description} [Charges and records](../explanation/charges-and-records.md#what-was-charged) says what is charged in each case.`,
    fields(at("charge")),
    `Or a list of rows, of which the first that applies counts:`,
    block("yaml", CHARGE_EXAMPLE),
    fields(at("charge").anyOf!.find(({ items }) => items !== undefined)!.items!),
    "The rule is evaluated for each request that is not `free`, over that request's reply. If the reply is a failure, only a row with `amount: 0` whose condition holds for it counts. If the rule cannot be evaluated, the charge is never lower for that.",
    "## `verify`",
    `${at("verify").description} [${code("datarun credential verify")}](commands.md#credential-verify) makes this call.`,
    fields(at("verify")),
    "## `live`",
    `${at("live").description} ${code("source test ID --live")} sends them, and so does ${code("source test --all --live --free-only")}; the reply is compared with that of the first case with a record.`,
    block("yaml", LIVE_EXAMPLE),
    fields(at("live")),
    "## `cases`",
    `${at("cases").description} [${code("datarun source test")}](commands.md#source-test) runs them; [simulation](../guides/simulate.md) answers from them. They may also be in ${code("<name>.cases.json")} beside the file, as [a JSON list of the same objects](typescript-sources.md#cases).`,
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
    `${code("{{ inputs.name }}")}, ${code("{{ credentials.name }}")}, ${code("{{ context }}")} and ${code("{{ region }}")}, each with any number of filters: ${code("{{ inputs.vin | trim | upper }}")}. Names continue with dots, and ${code("[0]")} is an entry of a list. [Steps](#steps) also have ${code("{{ steps.<name>.body.id }}")}, ${code(".status")}, ${code(".headers.location")}, and ${code("{{ order_id }}")}.`,
    table(["filter", "result"], filterRows()),
    `If a filter that removes characters (${shortening().map(code).join(", ")}) leaves nothing, the call fails, the message names the field, and nothing is sent. Otherwise a vendor's "not found" for an empty value would look like a valid result.`,
    "## Expressions",
    `An expression is [JMESPath, community edition](https://jmespath.site/main/#specification), over ${code("status")} (a number), ${code("headers")} (names in lower case) and ${code("body")}. A number, ${code("true")}, ${code("false")}, ${code("null")} and other JSON are written in backticks (\`\` status == \`404\` \`\`), text in single quotes (${code("body.code == 'NO_HIT'")}), and a name with special characters in double quotes (${code('body."birth-date"')}). Numbers keep all their digits; a number that would have to be rounded cannot be calculated with.`,
    `If a function is given an argument of a type that it does not take, the expression cannot be evaluated: a rule with it does not apply, and a field of ${code("map")} with it is a failure of kind ${code("contract")}. ${code("not_null(x, `[]`)")} gives a default for a value that may be absent. These are the functions, with examples over the reply below them; arguments in square brackets are optional:`,
    table(["function", "result", "example"], expressionRows()),
    block("json", EXAMPLE_ANSWER),
    "## Errors in a file",
    `Each error is reported with file, line, column and a hint. It ends with a code that does not change between versions: ${codes().map(code).join(", ")}.`,
  );
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

/** The object among what a value may be. */
function objectOf(schema: Schema): Schema {
  if (schema.properties !== undefined) return schema;
  return (schema.anyOf ?? schema.oneOf ?? []).find(({ properties }) => properties !== undefined) ?? schema;
}

/** One of what may also be a list of several. */
function itemOf(schema: Schema): Schema {
  return objectOf(schema);
}

function fields(schema: Schema, without: readonly string[] = []): string {
  const { properties = {}, required = [] } = objectOf(schema);
  const rows = Object.entries(properties)
    .filter(([name]) => !without.includes(name))
    .map(([name, property]) => [
      code(name),
      property.const === undefined ? kindOf(property) : code(property.const),
      required.includes(name) ? "yes" : "no",
      property.description ?? "",
    ]);
  return table(["key", "type", "required", "meaning"], rows);
}

function kindOf(schema: Schema): string {
  if (schema.then?.items !== undefined) return "object or list of objects";
  if (schema.type === undefined && schema.anyOf === undefined && (schema as { enum?: unknown }).enum === undefined)
    return "any";
  return typeOf(schema as Parameters<typeof typeOf>[0]);
}
