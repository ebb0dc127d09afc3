import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { findVerbs } from "../src/admin/find-verbs.ts";
import { openApiDocument } from "../src/http/public-openapi.ts";
import { optionOf, SETTINGS, variableOf, type Setting } from "../src/settings/table.ts";
import { adminOpenApiDocument } from "../src/admin/http/admin-openapi.ts";
import { compileExpression } from "../src/sources/declarative/expressions/expression.ts";
import { FUNCTIONS } from "../src/sources/declarative/expressions/expression-functions.ts";
import type { DocumentLocation } from "../src/sources/declarative/format/read-document.ts";
import { readJsonExactly, type JsonObject } from "../src/terms/json/json.ts";
import { DOCUMENTED_EVENTS } from "./rig/documented-log.ts";
import { MAGIC } from "../src/simulation/magic-inputs.ts";
import { FAULTS, type FaultRow } from "../src/terms/fault.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

/** The rows of the tables of a page: the cells of every line that begins with a code in backticks. */
function rowsOf(page: string): Map<string, string[]> {
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  return new Map(
    rows
      .map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
      .map(([code, ...cells]) => [code!.replaceAll("`", ""), cells]),
  );
}

test("docs/errors.md and the fault table list the same codes, with the same words on the wire", () => {
  const rows = rowsOf(read("docs/errors.md"));
  assert.deepEqual([...rows.keys()].sort(), Object.keys(FAULTS).sort());
  for (const [code, fault] of Object.entries(FAULTS) as [string, FaultRow][]) {
    const [wire, retryable, charged] = rows.get(code)!;
    if (fault.surface === "request") {
      assert.ok(wire!.startsWith(String(fault.status)) && wire!.endsWith(`\`${fault.kind}\``), `${code}: ${wire}`);
    } else {
      assert.equal(wire, `\`${fault.prefix}\` \`${fault.kind}\``, code);
      if (fault.surface === "source")
        assert.deepEqual([retryable, charged], [fault.retryable ? "yes" : "no", fault.charged.replace("_", " ")], code);
    }
  }
});

/** Calls that create a fault, or end runs with one. */
const CREATING = /\b(?:new Fault|asFault)\(|this\.#kill\(/g;
/** What chooses the code of a fault: functions, the problem of a head, and the table of the kinds that authors report. */
const CHOOSING = /\breturn [^;(){}]*;|\bproblem: "[^"]*"|\bFAULT_OF_KIND = [^;]*;/g;

/** The text from an opening parenthesis to the one that closes it. */
function inParentheses(code: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; depth > 0 && at < code.length; at += 1) depth += code[at] === "(" ? 1 : code[at] === ")" ? -1 : 0;
  return code.slice(from, at);
}

test("every row of the fault table is created somewhere: no failure is documented that cannot happen", () => {
  const files = globSync("src/**/*.ts", { cwd: ROOT }).filter((file) => !/\.(test|kit)\.ts$/.test(file));
  // A comparison with a code creates nothing.
  const code = files.map((file) => read(file).replaceAll(/[!=]== "[^"]*"/g, "")).join("\n");
  const called = [...code.matchAll(CREATING)].map((call) => inParentheses(code, call.index + call[0].length));
  const created = [...called, ...[...code.matchAll(CHOOSING)].map(([text]) => text)].join("\n");
  assert.deepEqual(
    Object.keys(FAULTS).filter((fault) => !created.includes(`"${fault}"`)),
    [],
  );
});

/** What a source's own `limits` hold, and what `source show` says of it. */
const OF_SOURCES = ["max_bytes", "concurrency", "rate", "timeout_ms"];

test("pages, manifests and messages name limits as the table of settings does", () => {
  const settings = SETTINGS as readonly Setting[];
  const known = new Set([
    ...settings.flatMap((setting) => [setting.key, `--${optionOf(setting)}`, variableOf(setting)]),
    ...OF_SOURCES.map((name) => `limits.${name}`),
    "limits.expert",
  ]);
  const texts = globSync(["README.md", "docs/**/*.md", "deploy/**/*.*"], { cwd: ROOT });
  const named = /(?<=[`\s(])limits\.(?!md\b)(?:expert\.)?[a-z_]+\b|--limits-[a-z-]+\w|\bDATARUN_LIMITS_[A-Z_]+/g;
  // In code, a name without an underscore is mostly a property.
  const code = globSync(["src/**/*.ts", "console/**/*.{ts,tsx}"], {
    cwd: ROOT,
    exclude: ["**/*.test.ts", "src/settings/**"],
  });
  const inCode = /\blimits\.(?:expert\.)?[a-z]+_[a-z_]+\b|"--limits-[a-z-]+"|\bDATARUN_LIMITS_[A-Z_]+/g;
  const found = [
    ...texts.flatMap((file) => [...read(file).matchAll(named)].map(([name]) => ({ file, name }))),
    ...code.flatMap((file) => [...read(file).matchAll(inCode)].map(([name]) => ({ file, name }))),
  ];
  assert.ok(found.length > 60, String(found.length));
  assert.deepEqual(
    found.filter(({ name }) => !known.has(name.replaceAll('"', ""))),
    [],
  );
});

test("the contract has HEAD wherever it has GET, without bodies", () => {
  type Operation = { responses: Record<string, { content?: object }> };
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, Operation>> };
  for (const [path, methods] of Object.entries(paths)) {
    assert.equal("head" in methods, "get" in methods, path);
    for (const { content } of Object.values(methods["head"]?.responses ?? {})) assert.equal(content, undefined);
  }
});

test("docs/reference/log.md has every event that the code logs, and no other", () => {
  const files = globSync("src/**/*.ts", { cwd: ROOT }).filter((file) => !/\.(test|kit)\.ts$/.test(file));
  const logged = files.flatMap((file) => [...read(file).matchAll(/\bevent: "([a-z_]+)"/g)].map(([, event]) => event!));
  assert.deepEqual([...DOCUMENTED_EVENTS.keys()].sort(), [...new Set(logged)].sort());
});

test("the guides to simulation and to the mock list every failure that can be simulated, and no other", () => {
  const [, inGuide] = /## Ask for a failure\n(.*?)\n```/s.exec(read("docs/guides/simulate.md"))!;
  const [, ofMock] = /^The names are (.*?)\./m.exec(read("docs/guides/mock.md"))!;
  const rows = [...inGuide!.matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => cell).join();
  for (const listed of [rows, ofMock!]) {
    const names = [...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
    assert.deepEqual(names.toSorted(), MAGIC.toSorted());
  }
});

test("openapi.json is what the code says", () => {
  assert.deepEqual(
    JSON.parse(read("openapi.json")),
    JSON.parse(JSON.stringify(openApiDocument())),
    "run: npm run openapi",
  );
});

test("openapi-admin.json is what the verbs say", async () => {
  const document = JSON.parse(JSON.stringify(await adminOpenApiDocument(findVerbs()))) as unknown;
  assert.deepEqual(JSON.parse(read("openapi-admin.json")), document, "run: npm run openapi");
});

test("every example of a function of expressions gives what the reference says it gives", () => {
  const page = read("docs/reference/source-format.md").split("\n## Expressions\n")[1]!.split("\n## ")[0]!;
  const answer = readJsonExactly(/```json\n([^`]*)```/.exec(page)![1]!) as JsonObject;
  const rows = rowsOf(page);
  assert.deepEqual(new Set([...rows.keys()].map((call) => call.split("(")[0])), new Set(FUNCTIONS.keys()));
  for (const [call, [, example]] of rows) {
    const [, expression, gives] = /^`+ ?(.*?) ?`+ is `(.*)`$/.exec(example!)!;
    assert.ok(expression!.includes(`${call.split("(")[0]}(`), call);
    const evaluate = compileExpression<JsonObject>(expression!, NOWHERE);
    assert.equal(JSON.stringify(evaluate({ ...answer })), gives, expression);
  }
});

const NOWHERE: DocumentLocation = {
  path: [],
  in: () => NOWHERE,
  refuse: (code, problem) => assert.fail(`${code} ${problem}`),
  refuseKey: (code, problem) => assert.fail(`${code} ${problem}`),
};
