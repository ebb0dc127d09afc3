import { readFileSync } from "node:fs";
import { FAULT_OF_KIND } from "../../src/terms/fault.ts";
import { givenTable, memberTable, membersOf } from "./interface-members.ts";
import { block, code, generated, page, table, type Page } from "./markdown.ts";

const SOURCE = new URL("../../src/sdk/source.ts", import.meta.url);
const HTTP = new URL("../../src/sdk/http.ts", import.meta.url);
const EXAMPLE = "catalog/sources/example_order/credit_report.ts";

/** What a TypeScript source declares, gets and returns, from the types and comments of the sdk. */
export function typescriptSourcesPage(): Page {
  return page(
    "docs/reference/typescript-sources.md",
    generated("the types and comments of src/sdk"),
    "# Sources in TypeScript",
    `A source is one file in the folder ${code("sources")} of a project, ${code(".ts")}, ${code(".js")} or ${code(".mjs")}, at any depth, with one default export. Files and folders whose names begin with ${code("_")} are not sources. A few requests and a mapping are better written [in YAML](source-format.md). There is [a tutorial](../tutorials/first-source.md).`,
    `A source may import packages of the project and Node's own modules. It is [trusted](../explanation/security.md#what-a-source-can-reach) like the service itself. Ask vendors only with ${code("http")}, which applies the deadline, the limits, the ledger and the rules about addresses.`,
    "## Several requests, and waiting for a report",
    `From [${code(EXAMPLE)}](../../${EXAMPLE}):`,
    block("ts", exampleRun()),
    [
      `- **Nothing is sent twice.** Do not catch a failure of ${code("http")} in order to try again: the request may be billed.`,
      `- **Wait with ${code("wait")}.** It ends when the call ends, at the deadline or because the service stops. From then on ${code("http")} sends nothing.`,
      `- **Say what is billed.** Give logins and polls ${code("free: true")}; then only the order is charged ([the rules](../explanation/charges-and-records.md#what-was-charged)).`,
      `- **Report the vendor's order number.** ${code("ordered(id)")} writes it to the ledger, the log and the failure. Give the request that orders the option ${code("order: true")}: once it is sent, no failure of the call is ${code("retryable")}.`,
    ].join("\n"),
    "### A report that takes longer",
    `Let the source take the order's number as an optional input, and declare ${code('resume: { input: "order_id" }')}. A run with this input calls ${code("ordered")} with the number and goes straight to the poll. The caller takes the number from ${code("failure.order_id")} and asks again later. [Order a report and wait for it](../guides/order-and-poll.md) has the same in YAML.`,
    "## The declaration",
    `${code("defineSource({…})")} adds only types. Schemas are JSON Schema 2020-12, by hand or with ${code("Type")}. An unknown key stops the start, unless it begins with ${code("x-")}.`,
    memberTable(membersOf(SOURCE, "SourceDeclaration")),
    "### `limits`",
    givenTable(membersOf(SOURCE, "SourceLimits")),
    "Each entry of `rate`:",
    givenTable(membersOf(SOURCE, "RateLimit")),
    "### `reply`",
    givenTable(membersOf(SOURCE, "ReplyReading")),
    "## The argument of `run`",
    givenTable(membersOf(SOURCE, "SourceCall")),
    `${code("fail")} takes one of ${Object.keys(FAULT_OF_KIND).map(code).join(", ")}, and these options:`,
    givenTable(membersOf(SOURCE, "FailOptions")),
    "## `http`",
    `${["get", "post", "put"].map((name) => code(`${name}(url, options)`)).join(", ")} and ${code("request(method, url, options)")}. Each resolves to a reply when the whole body has arrived. It rejects for failed name look-ups, connections and TLS, timeouts, broken or oversized bodies, and every status that is neither 2xx nor listed in ${code("answers")}. All options are optional:`,
    givenTable(membersOf(HTTP, "HttpOptions")),
    "### The reply",
    givenTable(membersOf(HTTP, "Reply")),
    "## The result of `run`",
    table(
      ["returned", "means"],
      [
        ["an object", "a record"],
        ["the reply itself", "a record with the vendor's JSON, unchanged"],
        [code("null"), "no record"],
        [code("noMatch({…})"), "no record, with an output"],
        [
          "nothing, a list, a text, or an object with a value that JSON cannot express, such as `NaN`",
          `a failure of kind ${code("internal")}`,
        ],
        [
          "it throws an error that did not come from `http` or `fail`",
          `a failure of kind ${code("adapter")}; what was thrown never reaches a client`,
        ],
      ],
    ),
    `Treat text from a vendor as data: put it into an output, but never into an address or a header without ${code("encodeURIComponent")}.`,
    "## Cases",
    `Cases are under ${code("cases")} or, as a JSON list, in ${code("<name>.cases.json")} beside the file. [Their keys](source-format.md#cases) are the same as in YAML.`,
    `A complete list, for a source with one input ${code("number")}:`,
    block("json", CASES_EXAMPLE),
  );
}

const CASES_EXAMPLE = `[
  {
    "name": "found",
    "inputs": { "number": "7" },
    "request": { "method": "GET", "path": "/companies/7" },
    "reply": { "body": { "name": "EXAMPLE TRADING LIMITED" } },
    "expect": { "match": true, "output": { "name": "EXAMPLE TRADING LIMITED" } }
  },
  { "name": "nobody", "inputs": { "number": "8" }, "reply": { "status": 404 }, "expect": { "match": false } },
  { "name": "no number", "inputs": { "number": "x" }, "expect": { "failure": "input", "field": "number" } }
]`;

/** The example without its cases. */
function exampleRun(): string {
  const text = readFileSync(new URL(`../../${EXAMPLE}`, import.meta.url), "utf8");
  const cut = text.indexOf("\n\n  cases: [");
  if (cut < 0) throw new Error(`${EXAMPLE} has no cases to leave out`);
  return `${text.slice(0, cut)}\n});`;
}
