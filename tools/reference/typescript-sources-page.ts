import { readFileSync } from "node:fs";
import { TIMEOUT_MS_DEFAULT } from "../../src/sources/check-declaration.ts";
import { FAULT_OF_KIND } from "../../src/terms/fault.ts";
import { CALL_MS_MAX } from "../../src/terms/times.ts";
import { givenTable, memberTable, membersOf } from "./interface-members.ts";
import { block, code, generated, page, table, type Page } from "./markdown.ts";

const SOURCE = new URL("../../src/sdk/source.ts", import.meta.url);
const HTTP = new URL("../../src/sdk/http.ts", import.meta.url);
const EXAMPLE = "catalog/sources/example_order/credit_report.ts";

/** What a source in TypeScript declares, is given and returns, from the sdk's own types and comments. */
export function typescriptSourcesPage(): Page {
  return page(
    "docs/reference/typescript-sources.md",
    generated("the types and comments of src/sdk"),
    "# Sources in TypeScript",
    `A source is one file in the folder ${code("sources")} of a project, ${code(".ts")}, ${code(".js")} or ${code(".mjs")}, at any depth, with one default export; files and folders whose names begin with ${code("_")} are no sources. Write one in YAML as long as it is [one request or a few, and a mapping](source-format.md). Write it in TypeScript when it pages through a list, asks several at once, or works out what no expression says. [Your first source](../tutorials/first-source.md) shows one being made.`,
    `It may import what the project has installed, and Node's own modules. It runs within the service and is trusted as the service is: only ${code("http")} has the deadline, the limits, the ledger and the rules about addresses, so ask vendors by nothing else.`,
    "## Several requests, and waiting for a report",
    `From [${code(EXAMPLE)}](../../${EXAMPLE}), which the catalog's tests run:`,
    block("ts", exampleRun()),
    [
      `- **Nothing is sent twice.** No request is repeated for you, because it may be billed. Catch no failure of ${code("http")} to try again.`,
      `- **Wait by ${code("wait")}.** It ends when the call does: at the deadline, or because the service stops. From then on ${code("http")} sends nothing, whatever the code does. When cases are played no time passes; a source that waits by other means makes its tests as slow as its vendor.`,
      `- **There are 60 seconds, no more.** ${code("timeout_ms")} counts from the arrival of the request; it is ${TIMEOUT_MS_DEFAULT.toLocaleString("en")} unless said and ${CALL_MS_MAX.toLocaleString("en")} at the most. A function has [its own time](functions.md#the-declaration), and what a client waits is for the client to say.`,
      `- **Say what is billed.** ${code("free: true")} for a login and for polls; the order then carries the charge alone. When the deadline passes while it polls, the order stays charged, as its own answer said. [Charges and records](../explanation/charges-and-records.md#what-was-charged) has the rules.`,
      `- **Say what finds it again.** ${code("ordered(id)")} puts the vendor's order number into the log and, for workflows with ${code("failure_details")}, beside the failure; a deadline that passes after it is ${code("pending")}. That number is what a charge is settled by. Never log inputs or credentials.`,
    ].join("\n"),
    "### A report that takes longer",
    `Let its inputs hold the order's number too. A run that is given it orders nothing: it calls ${code("ordered")} with it and goes straight to the poll, free. Whoever calls keeps the number, which ${code("failure.order_id")} names, and asks again later, after a minute or a day, from any replica; a run that is broken off costs no second order. Nothing calls back by itself. A file says all this by ${code("order_id")} and [${code("resume")}](source-format.md#resume): [Order a report and wait for it](../guides/order-and-poll.md).`,
    "## The declaration",
    `${code("defineSource({…})")} gives the types and returns what it is given; a plain object is as good. Schemas are JSON Schema 2020-12, by hand or with ${code("Type")}. A key that is not listed here stops the start, unless it begins with ${code("x-")}.`,
    memberTable(membersOf(SOURCE, "SourceDeclaration")),
    "### `limits`",
    givenTable(membersOf(SOURCE, "SourceLimits")),
    "Of a rate:",
    givenTable(membersOf(SOURCE, "RateLimit")),
    "## What `run` is given",
    givenTable(membersOf(SOURCE, "SourceCall")),
    `${code("fail")} takes one of ${Object.keys(FAULT_OF_KIND).map(code).join(", ")}, and besides:`,
    givenTable(membersOf(SOURCE, "FailOptions")),
    "## `http`",
    `${["get", "post", "put"].map((name) => code(`${name}(url, options)`)).join(", ")} and ${code("request(method, url, options)")}. A promise of a reply resolves when the whole body has arrived. It rejects for everything that is no usable answer: name, connect and TLS failures, timeouts, broken or oversized bodies, and every status that is neither 2xx nor listed in ${code("answers")}. Code that does not catch it is right. Options, all of which may be left out:`,
    givenTable(membersOf(HTTP, "HttpOptions")),
    "### What a vendor answered",
    givenTable(membersOf(HTTP, "Reply")),
    "## What `run` returns",
    table(
      ["returned", "means"],
      [
        ["an object", "a record, as it is"],
        ["the reply itself", "a record: the vendor's JSON, unchanged"],
        [code("null"), "no record"],
        [code("noMatch({…})"), "no record, with something to say about it"],
        [
          "nothing, a list, a text, or an object that holds what JSON cannot write, such as `NaN`",
          `a failure of kind ${code("internal")}`,
        ],
        [
          "it throws, and no request or `fail` threw that",
          `a failure of kind ${code("adapter")}; what was thrown never reaches a client`,
        ],
      ],
    ),
    `A text that a vendor sends is data: put it into an output, not into an address or a header without ${code("encodeURIComponent")}.`,
    "## Cases",
    `Examples, documentation, tests and the simulated vendor at once, under ${code("cases")} or, as a JSON list of the same objects, in ${code("<name>.cases.json")} beside the file. [${code("datarun source test")}](commands.md#source-test) runs them; [simulation](../guides/simulate.md) answers from them.`,
    memberTable(membersOf(SOURCE, "SourceCase")),
    "What the vendor is scripted to answer:",
    givenTable(membersOf(SOURCE, "ScriptedReply")),
    "What it must have been sent:",
    givenTable(membersOf(SOURCE, "ExpectedRequest")),
    `A whole list, for a source with one input ${code("number")}:`,
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

/** The example as it stands, without its cases. */
function exampleRun(): string {
  const text = readFileSync(new URL(`../../${EXAMPLE}`, import.meta.url), "utf8");
  const cut = text.indexOf("\n\n  cases: [");
  if (cut < 0) throw new Error(`${EXAMPLE} has no cases to leave out`);
  return `${text.slice(0, cut)}\n});`;
}
