import { openApiDocument } from "../../src/http/public-openapi.ts";
import { FAULTS, REPORTED, type FaultRow } from "../../src/terms/fault.ts";
import { block, code, generated, json, page, table, type Page } from "./markdown.ts";
import { fieldsOf, type FieldRow } from "../../src/terms/schema/schema-fields.ts";

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly headers: Readonly<Record<string, Header>>; readonly content: Content }
    >
  >;
}

interface Content {
  readonly "application/json": { readonly schema: Reference | { readonly anyOf: readonly Reference[] } };
}

interface Reference {
  readonly $ref: string;
}

interface Header {
  readonly description?: string;
  readonly schema: { readonly const?: string };
}

/** The page for integrators: the contract of `openapi.json` and the fault table, in words. */
export function apiPage(): Page {
  const contract = JSON.parse(JSON.stringify(openApiDocument())) as Contract;
  const { paths } = contract;
  const endpoints = endpointsOf(contract);
  return page(
    "docs/reference/api.md",
    generated("src/http/public-openapi.ts and src/terms/fault.ts"),
    "# The HTTP interface",
    "[`openapi.json`](../../openapi.json) has the same contract. [Use it from your own code](../guides/call-it.md) shows clients.",
    table(
      ["request", "summary"],
      endpoints.map(({ method, path, operation }) => [
        `[${code(`${method} ${path}`)}](#${method.toLowerCase()}-${path.replaceAll("/", "")})`,
        operation.summary,
      ]),
    ),
    GENERAL,
    "## Access",
    ACCESS,
    "## Headers",
    "Request headers:",
    table(["header", "required", "meaning"], REQUEST_HEADERS),
    "Headers of every response, including errors:",
    table(["header", "value"], [["Content-Type", code("application/json; charset=utf-8")], ...responseHeaders(paths)]),
    `${code("HEAD")} is answered wherever ${code("GET")} is, but without a body. A 405 also has ${code("Allow")}. No response has a CORS header, a rate-limit header or the name of the server.`,
    "### Request ids",
    REQUEST_IDS,
    ...endpoints.flatMap((endpoint) => [
      `## ${endpoint.method} ${endpoint.path}`,
      ...(SECTIONS[endpoint.path] ?? plainSection)(schemasOf(contract), endpoint.operation),
    ]),
    "## Errors",
    "`POST /data` and `POST /func` answer with these statuses:",
    table(
      ["status", "meaning"],
      Object.entries(paths["/data"]?.["post"]?.responses ?? {}).map(([status, { description }]) => [
        status,
        status === "200"
          ? "The request ran. Read `status` for the outcome of each source or of the function."
          : description,
      ]),
    ),
    "Access is checked first: only an authenticated caller is told what is wrong with a body.",
    "Every error has a body of this form:",
    block("json", json(ERROR_EXAMPLE)),
    "`code` does not change between versions; `message` may. `request_id` is the id in `X-Request-Id`. `details` lists the problems, each with a JSON pointer into the body. Values that you sent are never repeated.",
    table(["status", "`error.code`", "message", "retry can help"], requestRows()),
    "[Errors](../errors.md) explains each failure.",
    "## Versions",
    "There is one version, and it is not part of the URL. Ignore fields that you do not know: new ones may be added.",
  );
}

interface EndpointOnPage {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function endpointsOf({ paths }: Contract): readonly EndpointOnPage[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // The same as GET; a sentence on the page says so.
      .filter(([method]) => method !== "head")
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

type SchemaByName = (name: string) => object;

function schemasOf({ components }: Contract): SchemaByName {
  // The kinds of failures have tables of their own; any other text may come too.
  const schemas = JSON.parse(JSON.stringify(components.schemas), (_, value: { anyOf?: readonly object[] } | null) =>
    value?.anyOf?.some((branch) => "$ref" in branch) === true ? { ...value, anyOf: undefined, type: "string" } : value,
  ) as Contract["components"]["schemas"];
  return (name) => schemas[name] ?? missing(name);
}

/** The section of an endpoint that has no longer description of its own. */
function plainSection(schema: SchemaByName, { description, requestBody, responses }: Operation): string[] {
  const named = (content: Content) => {
    const given = content["application/json"].schema;
    const references = "anyOf" in given ? given.anyOf : [given];
    return references.map(({ $ref }) => schema($ref.split("/").at(-1)!));
  };
  return [
    description,
    ...(requestBody === undefined
      ? []
      : ["### Request body", ...named(requestBody.content).map((body) => fieldTable(body))]),
    "### Response body (200)",
    ...named(responses["200"]!.content).map(answerTable),
  ];
}

const SECTIONS: Readonly<Record<string, (schema: SchemaByName) => string[]>> = {
  "/data": (schema) => [
    DATA,
    "### Request body",
    fieldTable(schema("DataRequest"), entryFields(schema("DataRequest"))),
    `If ${code("config.sources")} is missing or empty, the answer is 500 with the code ${code("no_sources")}.`,
    'Other top-level fields are accepted and ignored. Other fields inside `config` and inside a source\'s entry are kept and echoed. Values are not converted: `"true"` is not `true`, and `1` is not `"1"`.',
    "[Four rules](../guides/credentials.md#which-credential-a-run-uses) choose the credential of a source. If the one that `cred_id` names cannot be used, the source fails.",
    "### Which inputs a source gets",
    "Before a source runs, `inputs` is reduced to the names that the source declares, in every branch of its schema. A name that no source declares is dropped without an error: check the spelling in the [catalog](../catalog/README.md).",
    "### Response body (200)",
    answerTable(schema("DataResponse")),
    "Each entry of `status`:",
    answerTable(sourceStatus(schema("DataResponse"))),
    "Read `status` before `outputs`, and branch on `success` and `match`:",
    table(
      ["`success`", "`match`", "meaning"],
      [
        ["`true`", "`true`", "The source completed and found a record."],
        [
          "`true`",
          "`false`",
          "The source completed without a record, which is a valid result. Its output may say why.",
        ],
        ["`false`", "`false`", "The source did not complete. Its output is `{}`."],
      ],
    ),
    "`outputs` and `status` keep the order in which you named the sources. `config` repeats what you sent, including credentials in a source's entry, unless the workflow masks them (`mask_credentials`). It never contains stored credentials.",
    "### When a source fails",
    "The answer is still 200. `message` begins with one of these prefixes; the rest of it may change.",
    table(["message begins", "cause"], prefixes("source")),
    "Failed entries have `failure`, unless `failure_details` of your workflow is turned off. Kinds may be added: treat one that you do not know by `retryable` and `charged`.",
    table(["`failure.kind`", "`retryable`", "`charged`, if something was sent", "meaning"], kindRows()),
    "The table has [`charged`](../explanation/charges-and-records.md#what-was-charged) for one request to a vendor that bills by the call; *by its answer* means that the request was billed if the vendor had answered. It is `no` whenever nothing was sent.",
    "### Retrying",
    RETRYING,
  ],
  "/func": (schema) => [
    "Runs one data function. Headers and access are the same as for `/data`.",
    "### Request body",
    fieldTable(schema("FuncRequest"), entryFields(schema("FuncRequest"))),
    "`inputs` and unknown top-level fields are passed to the function as they are; the access token and the workflow are not. Credentials are resolved as on `/data`, for each source that the function asks. With automatic selection or a default, no entry in `config.sources` is needed.",
    "### Response body, standard mode (200)",
    answerTable(schema("FuncResponse")),
    '`outputs` and `status` have one entry, under the function\'s identifier. `outputs.<function>` is `{"output": {…}, "pipes": {…}}`. The entry of `status` has no `match`: a function reports "no record" inside its own output.',
    answerTable(sourceStatus(schema("FuncResponse"))),
    "`config` also carries `organization_tuid`, taken from the token; a value that was sent is overwritten.",
    "### Response body, passthrough mode (200)",
    "With `config.datafunc_response_passthrough: true` the function's own fields are at the top level, without `status` and `config`. Only `response_time_ms` (an integer, the total time) is always present. A failed function is answered with 200 as well: detect the failure by the function's own fields. If the function returns nothing, the answer is `transaction_id`, `output: {}`, `pipes: {}` and `response_time_ms`. The same holds if it failed, unless it had recorded pipes: then the answer is `output: {}`, those `pipes` and `response_time_ms`.",
    "### When a function fails",
    "The answer is 200, with `success: false`, what the function had recorded in `pipes`, and a `message` that begins with one of these prefixes. A function can also report a failure itself, with its own message and a partial output.",
    table(["message begins", "cause"], prefixes("function")),
    "In standard mode, failed entries have `failure`, unless it is turned off:",
    table(["`failure.kind`", "`retryable`", "meaning"], functionKindRows()),
    "### No function named",
    "When `config.data_func` is missing, `null` or empty, nothing runs, and the answer is 200 with `outputs: {}` and `status: {}`.",
  ],
  "/status": (schema) => [
    "Needs no authentication, and confirms only that the process accepts requests; `/ready` on the admin port says whether runs would be accepted.",
    answerTable(schema("Status")),
  ],
};

const GENERAL = [
  "- Your deployment's base URL is `{base_url}`; each region has its own, and a token is valid in one region.",
  "- Each request gets one complete response: no pagination, idempotency key, webhook or callback.",
  "- Bodies are JSON in UTF-8. `Content-Type: application/json` is recommended and may have parameters. Without the header, a body is read as JSON. Any other type is 422, and so is a compressed body.",
  "- The interface is not for browsers: no CORS header is sent.",
  "- [Limits](limits.md) lists sizes, numbers and times.",
].join("\n");

const ACCESS = [
  "`POST /data` and `POST /func` need an access token and a workflow that belongs to the token's organization. Tokens have no scopes.",
  table(
    ["form", "token", "workflow"],
    [
      ["service headers", "`X-Service-Access-Token`", "`X-Service-Workflow`"],
      ["authorization header", "`Authorization: Bearer <token>`", "`X-Service-Workflow`"],
      ["body", "`access_token`", "`workflow`"],
    ],
  ),
  "If several are sent, the token and the workflow are each taken from the first place that has one, in this order; `null` and an empty string count as absent. A header that is sent twice is refused.",
].join("\n\n");

const REQUEST_HEADERS = [
  ["`X-Service-Access-Token`", "one form of the token", "The access token, `drt_…`"],
  ["`Authorization`", "one form of the token", "`Bearer <token>`, in upper or lower case. Other schemes are ignored"],
  ["`X-Service-Workflow`", "unless the body has `workflow`", "The workflow, `wfl_…`"],
  ["`Content-Type`", "recommended", "`application/json`"],
  ["`X-Request-Id`", "no", "Your own [id](#request-ids) for the request"],
  ["`traceparent`", "no", "Your [trace](#request-ids) (W3C Trace Context)"],
];

const REQUEST_IDS = [
  "- `X-Request-Id` of a response is the `transaction_id` (`trx_…`) of the run that the request has started, or begins with `req_`. The operator finds a run on the ledger and an error in the log by it.",
  "- Your own `X-Request-Id` is recorded with the run, in clear text, on the ledger and in the log. So the operator finds the run even if no response has reached you. It has 1 to 64 printable ASCII characters; any other, or one that is sent twice, is ignored. Put no secret and no personal data into it.",
  "- The response does not repeat your id. Two requests with the same id are two runs.",
  "- The trace id of a valid `traceparent` is recorded in the same way.",
].join("\n");

const DATA = "Asks all sources in `config.sources` at once. The answer is sent when the last of them has ended.";

const RETRYING = [
  "- On `/data` retry only the sources whose failure is `retryable`: send a new request that names only those. Each retry can be billed; after `timeout` and `vendor_5xx` the first call may be billed too, after `unreachable` and `shed` nothing was sent.",
  "- Once a request that orders was sent, no failure is `retryable`. A client that repeats only what is `retryable` never orders twice.",
  "- If a failure has `order_id`, an order has been placed at the vendor and is probably billed. If it is also `resumable`, send this number as an input of the same source, later and as often as needed: the source [fetches what was ordered](source-format.md#resume), and orders nothing. The input is `order_id`, unless the page of the source names another.",
  "- On `/func` retry only a function whose failure is `retryable`: nothing of it has run. Otherwise a retry makes all its calls again.",
  "- After a 500 with `overloaded` or `unavailable` nothing was run. Wait before each retry, and longer each time.",
  "- If the connection breaks before the answer arrives, the run may have happened and may be billed. The operator finds it by the [`X-Request-Id`](#request-ids) or the trace that you sent with it.",
].join("\n");

const ERROR_EXAMPLE = {
  error: {
    code: "invalid_request",
    message: FAULTS["request.invalid"].says,
    request_id: "req_0192f0c1a2b37c5d8e9f0a1b2c3d4e5f",
    details: [{ path: "/config/context", message: "must be one of prod, test, dev" }],
  },
};

/** The schema of one entry of `status`. */
function sourceStatus(response: object): object {
  const { properties } = response as { properties: { status: { additionalProperties?: object } } };
  return properties.status.additionalProperties ?? missing("status");
}

function missing(name: string): never {
  throw new Error(`openapi.json has no schema ${name}`);
}

function fieldTable(schema: object, more: readonly FieldRow[] = []): string {
  return table(
    ["field", "type", "required", "meaning"],
    [...fieldsOf(schema), ...more].map((row) => [code(row.name), row.type, row.required ? "yes" : "no", row.says]),
  );
}

function answerTable(schema: object): string {
  return table(
    ["field", "type", "always there", "meaning"],
    fieldsOf(schema).map(({ name, type, required, says }) => [code(name), type, required ? "yes" : "no", says]),
  );
}

interface Sources {
  readonly properties: {
    readonly config: {
      readonly properties: {
        readonly sources: {
          readonly additionalProperties: { readonly description: string; readonly oneOf: readonly [object, object] };
        };
      };
    };
  };
}

/** The fields of one entry of `config.sources`, whose names are not fixed. */
function entryFields(request: object): FieldRow[] {
  const entry = (request as Sources).properties.config.properties.sources.additionalProperties;
  const name = "config.sources.<source>";
  return [
    { name, type: "`true` or object", required: false, title: "", says: entry.description, examples: [] },
    ...fieldsOf(entry.oneOf[1], `${name}.`),
  ];
}

function responseHeaders(paths: Contract["paths"]): string[][] {
  const headers = paths["/data"]?.["post"]?.responses["200"]?.headers ?? {};
  return Object.entries(headers).map(([name, { description = "", schema }]) => [
    name,
    schema.const === undefined ? description : code(schema.const),
  ]);
}

const CAUSES: Readonly<Record<string, string>> = {
  "Adapter not found for": "No source has this identifier, or it is a catalog source that is off",
  "Adapter error:": "Credential, input, timeout or vendor failure",
  "Data function not found:": "No function has this identifier",
  "Data function error:": "The function failed, ran out of time or memory, or violated its contract",
  "Unexpected error:": "The service failed while collecting the result",
};

function prefixes(surface: FaultRow["surface"]): string[][] {
  const found = new Set(faults(surface).map(([, { prefix }]) => prefix));
  return [...found].map((prefix) => [code(prefix), CAUSES[prefix] ?? missing(prefix)]);
}

function faults(surface: FaultRow["surface"]): [string, FaultRow][] {
  return Object.entries(FAULTS).filter(([, row]) => row.surface === surface);
}

/** One row for each kind, with all values where its faults differ. */
function kindRows(): string[][] {
  const byKind = Object.groupBy(faults("source"), ([, { kind }]) => kind);
  return Object.entries(byKind).map(([kind, found]) => [
    code(kind),
    several(found.map(([, { retryable }]) => code(String(retryable)))),
    several(found.map(([, { charged }]) => (charged === "as_answered" ? "by its answer" : code(charged)))),
    several(
      found.map(([, { says }]) => plainly(says)).filter((says) => says !== ""),
      "; ",
    ),
  ]);
}

/** For kinds whose message is made of details alone. */
const FUNCTION_WORDS: Readonly<Record<string, string>> = {
  unknown_function: "there is no such function",
  input: "the inputs violate the function's contract, so it was not run; the message names the field",
  timeout: "the deadline passed",
  contract: "what the function returned violates its contract",
};

function functionKindRows(): string[][] {
  const byKind = Object.groupBy(faults("function"), ([, { kind }]) => kind);
  const rows = Object.entries(byKind).map(([kind, found]) => [
    code(kind),
    several(found.map(([, { retryable }]) => code(String(retryable)))),
    FUNCTION_WORDS[kind] ??
      several(
        found.map(([, { says }]) => plainly(says)),
        "; ",
      ),
  ]);
  return [...rows, [code(REPORTED), code("false"), "the function itself reports the failure, with `success: false`"]];
}

function several(values: readonly string[], separator = " or "): string {
  return [...new Set(values)].join(separator);
}

/** The message of a fault without placeholders. @throws Error for one that is not listed here and has placeholders */
function plainly(says: string): string {
  const known: Readonly<Record<string, string>> = {
    "{source}": "there is no such source",
    "{function}": "there is no such function",
    "{what} may only be used in {regions}, and the region of this service is {region}":
      "the source or its credential may not be used in the region of this service",
    "budget {budget} ({scope}; {limit}) has no room for this request until {until}, so it was not sent":
      "a budget has no room for this request, so it was not sent; the message names the budget and when it begins anew",
    "input {field} {problem}": "an input violates the source's schema; the message names it",
    "{problem}": "there is no credential, or it violates the source's schema",
    "timed out after {afterMs} ms": "the deadline passed",
    "the vendor answered with status {status}": "the vendor answered with a status of this class",
    "the vendor's answer cannot be used: {problem}": "the vendor's answer cannot be used",
  };
  const plain = known[says] ?? says.replace(/^version \{version\} of/, "the version of");
  if (plain.includes("{")) throw new Error(`The page needs other words for: ${says}`);
  return plain;
}

function requestRows(): string[][] {
  return faults("request").map(([, { status, kind, says, retryable }]) => [
    String(status),
    code(kind),
    says,
    retryable ? "yes" : "no",
  ]);
}
