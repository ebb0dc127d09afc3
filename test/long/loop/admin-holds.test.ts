import { test } from "node:test";
import { createClient } from "../../rig/client.ts";
import { vendorProject } from "../../lifecycle/vendor-project.ts";
import { startVendor } from "../../vendor/scripted-vendor.ts";
import { sendAndReset } from "./hostile-wire.ts";
import { type Play, startProbed } from "./probe-holds.ts";

test("nothing that is sent to the admin port holds the event loop for long", async (t) => {
  const { deployment, service, tryAll } = await startProbed(t, vendorProject(t, await startVendor(t), {}));
  const owner = await deployment.operate((operator) => operator.appoint("owner"));
  const client = createClient(service.adminUrl);
  t.after(() => client.close());
  const { host } = new URL(service.adminUrl);
  const post = (path: string, input: object, headers: Readonly<Record<string, string>>) =>
    client.send({
      method: "POST",
      path: `/api/${path}`,
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(input),
    });
  const verb = (path: string, input: object) => post(path, input, { Authorization: `Bearer ${owner.token}` });
  const asPage = (input: object) => post("session/code", input, { Origin: `http://${host}`, "Datarun-Console": "1" });
  const SPAN = { from: "2026-01-01", to: "2026-02-01" };
  const invoice = (text: string) =>
    verb("ledger/compare", { invoice: text, map: ["order=a", "amount=b"], currency: "EUR", ...SPAN });
  const org = deployment.access.id;

  await tryAll([
    ...Object.entries(INVOICES).map(([name, text]): Play => [`an invoice of ${name}`, () => invoice(text)]),
    ["columns that are none", () => verb("ledger/compare", { invoice: "", map: many(90_000, () => ""), ...SPAN })],
    [
      "contexts to compare with each other",
      () => verb("credential/create", { org, source: "x", fields: {}, context: many(49_000, (at) => ({ a: at })) }),
    ],
    ["sources of a run", () => verb("workflow/run", { workflow: "wfl_x", source: many(90_000, (at) => `x${at}`) })],
    ["fields that nobody knows", () => verb("org/show", { org, ...fields(9_900) })],
    ["fields that nobody knows, without a login", () => asPage({ code: "x", ...fields(9_900) })],
    ["a small body of fields, without a login", () => asPage({ code: "x", ...fields(600) })],
    ["a name of blanks", () => verb("org/create", { name: " ".repeat(1_000_000) })],
    ["a place of a megabyte", () => verb("ledger/list", { after: `u.1.${"x".repeat(1_000_000)}` })],
    [
      "filters of a megabyte",
      () =>
        verb(
          "ledger/list",
          fromEach(FILTERS, () => "x".repeat(120_000)),
        ),
    ],
    [
      "moments of digits",
      () =>
        verb(
          "ledger/export",
          fromEach(["from", "to"], () => "1".repeat(500_000)),
        ),
    ],
    ["a place of commas", () => verb("ledger/spend", { by: "source", ...SPAN, after: ",".repeat(1_000) })],
    ["a search for what every search has to escape", () => verb("object/find", { text: "İ%_\\".repeat(50) })],
    ...Object.entries(WIRE).map(([name, text]): Play => [
      `without a login: ${name}`,
      () => sendAndReset(service.adminUrl, text),
    ]),
  ]);
});

const FILTERS = ["transaction", "from", "to", "org", "workflow", "function", "source", "outcome", "charged"];

const fromEach = (names: readonly string[], value: () => string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, value()]));

const many = <Entry>(length: number, entry: (at: number) => Entry): Entry[] =>
  Array.from({ length }, (_, at) => entry(at));

function fields(count: number): object {
  return Object.fromEntries(many(count, (at) => [`field_${at}`.padEnd(90, "x"), 1]));
}

const HALF_MILLION = 500_000;

const INVOICES: Readonly<Record<string, string>> = {
  "quotes inside a cell": `a,b\nx${'y"'.repeat(340_000)},1`,
  "quotes in quotes": `a,b\n"${'""'.repeat(170_000)}",1`,
  "a line of cells": `a,b\n${",".repeat(1_000_000)}`,
  "columns without end": ",".repeat(HALF_MILLION),
  "empty lines": `a,b\n${"\n".repeat(HALF_MILLION)}`,
  "lines in one cell": `a,b\n"${"\n".repeat(HALF_MILLION)}",1`,
  "an amount of a million digits": `a,b\nx,${"1".repeat(1_000_000)}`,
  "an amount of thousands": `a,b\nx,"${"111,".repeat(250_000)}111"`,
  "orders that the ledger does not know": `a,b\n${many(49_000, (at) => `${at},1`).join("\n")}`,
  "lines that cannot be read": `a,b\n${"x\n".repeat(49_000)}`,
  "one order again and again": `a,b\n${"x,1\n".repeat(49_000)}`,
};

const ASK = "HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

const WIRE: Readonly<Record<string, string>> = {
  "metrics asked for ahead": `GET /metrics ${ASK}`.repeat(1_600),
  "the console asked for ahead": `GET /console/ ${ASK}`.repeat(1_600),
  "probes sent ahead": `GET /live ${ASK}`.repeat(20_000),
  "tokens sent ahead":
    `POST /api/org/list HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer dop_${"x".repeat(49)}\r\n\r\n`.repeat(500),
  "a body in chunks of one byte": `POST /api/session/code HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nDatarun-Console: 1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\n \r\n".repeat(200_000)}`,
  "a cookie of separators": `GET /api/live HTTP/1.1\r\nHost: 127.0.0.1\r\nDatarun-Console: 1\r\nCookie: ${";=".repeat(7_500)}\r\n\r\n`,
};
