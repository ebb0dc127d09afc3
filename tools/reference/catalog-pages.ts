import { relative, sep } from "node:path";
import type { ListedFunction } from "../../src/functions/catalog.ts";
import { PACKAGE_ROOT } from "../../src/project/package-root.ts";
import { proofOf } from "../../src/project/list-sources.ts";
import type { LoadedSource, LoadedSources } from "../../src/project/load-sources.ts";
import { makeOneCall } from "../../src/run/one-call.ts";
import type { Proofs } from "../../src/sources/proofs.ts";
import type { SourceCase } from "../../src/sdk/source.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { Fault } from "../../src/terms/fault.ts";
import { block, code, generated, json, page, table, type Page } from "./markdown.ts";
import { fieldsOf, needOf } from "../../src/terms/schema/schema-fields.ts";

const FOLDER = "docs/catalog";

/** The catalog's index and one page for each of its sources and functions, from their declarations and cases. */
export async function catalogPages(
  { all, proofs = [] }: LoadedSources,
  functions: readonly ListedFunction[],
): Promise<Page[]> {
  const loaded = [...all.values()].sort((a, b) => (a.source.id < b.source.id ? -1 : 1));
  return [
    indexPage(loaded, functions, proofs),
    ...(await Promise.all(loaded.map((source) => sourcePage(source, proofs)))),
    ...functions.map(functionPage),
  ];
}

/** When the catalog's version of a source last got an answer from its vendor. */
function liveRunOf(loaded: LoadedSource, proofs: readonly Proofs[]): string {
  const { "x-example": isExample } = loaded.source.declaration as unknown as Readonly<Record<string, unknown>>;
  if (isExample === true) return "never: an example without a vendor";
  const proof = proofOf(loaded, proofs);
  if (proof === null) return "never";
  return `${proof.date}, version ${proof.build}${proof.match ? "" : ", without a record"}${proof.outdated ? ", of another version of the source" : ""}`;
}

function indexPage(
  loaded: readonly LoadedSource[],
  functions: readonly ListedFunction[],
  proofs: readonly Proofs[],
): Page {
  const offline = loaded.filter(({ source }) => !source.leavesMachine);
  const outside = loaded.filter(({ source }) => source.leavesMachine);
  const head = ["source", "what it answers", "credential", "cases"];
  const rows = (sources: readonly LoadedSource[]) =>
    sources.map(({ source }) => [
      `[${code(source.id)}](${source.id}.md)`,
      source.declaration.title,
      source.credentialUse,
      String(source.declaration.cases?.length ?? 0),
    ]);
  const live = outside.map((each) => [`[${code(each.source.id)}](${each.source.id}.md)`, liveRunOf(each, proofs)]);
  return page(
    `${FOLDER}/README.md`,
    generated("the declarations in catalog/"),
    "# The catalog",
    `${loaded.length} sources and ${functions.length} data functions come with the service. ${code("datarun source list")} shows them together with your own, and ${code("datarun source show ID")} shows one with its complete schemas. Each page says what the source takes and returns, what "no record" means for it, and where its data comes from.`,
    "## Sources that answer on the machine",
    "They answer from data that comes with them, use no network and cost nothing. They are always on.",
    table(head, rows(offline)),
    "## Sources that ask a vendor",
    outside.length === 0
      ? "The catalog has none yet. Write your own: [your first source](../tutorials/first-source.md)."
      : `They are off until the setting ${code("catalog")} names them, because their inputs leave the machine.`,
    outside.length === 0 ? "" : table(head, rows(outside)),
    "## Data functions",
    "Each asks several sources and combines their results. Call one with `POST /func`.",
    table(
      ["function", "what it answers", "cases"],
      functions.map(({ id, title, cases }) => [`[${code(id)}](${id}.md)`, title, String(cases.length)]),
    ),
    "## Tests against the real vendor",
    outside.length === 0
      ? "No source here has a vendor. `npm test` runs the sources above with all their cases."
      : "`npm test` runs all cases of a source against replies that are scripted from the vendor's documentation. This is when each source last got an answer from the real vendor. `npx datarun prove --project catalog` in a checkout writes it into `catalog/datarun.proofs.json`; your own proofs are shown by `datarun source list`:",
    outside.length === 0 ? "" : table(["source", "last proof"], live),
  );
}

async function sourcePage(loaded: LoadedSource, proofs: readonly Proofs[]): Promise<Page> {
  const { source, file } = loaded;
  const { declaration } = source;
  const declaredIn = relative(PACKAGE_ROOT, file).replaceAll(sep, "/");
  const inputs = fieldsOf(declaration.inputs);
  const output = fieldsOf(declaration.output ?? {});
  const credentials = fieldsOf(declaration.credentials ?? {});
  const cases = declaration.cases ?? [];
  return page(
    `${FOLDER}/${source.id}.md`,
    generated("the source's declaration and cases"),
    `# ${code(source.id)}: ${declaration.title}`,
    declaration.description?.trim() ?? "",
    table(
      ["", ""],
      [...facts(source, liveRunOf(loaded, proofs)), ["declared in", `[${code(declaredIn)}](../../${declaredIn})`]],
    ),
    "## Inputs",
    table(
      ["name", "type", "required", "meaning"],
      inputs.map((row) => [code(row.name), row.type, needOf(row, declaration.inputs), row.says]),
    ),
    ...(credentials.length === 0
      ? []
      : [
          "## Credential",
          `${source.credentialUse === "optional" ? "Optional. " : ""}Stored with ${code("datarun credential create")}, or sent in the source's entry.`,
          table(
            ["field", "type", "required", "meaning"],
            credentials.map((row) => [code(row.name), row.type, needOf(row, declaration.credentials!), row.says]),
          ),
        ]),
    "## Output",
    output.length === 0
      ? "The source declares no fields of a record."
      : "The fields of a record. Without a record the output is `{}`, unless the text above or a meaning here says otherwise.",
    output.length === 0
      ? ""
      : table(
          ["name", "type", "in every record", "meaning"],
          output.map((row) => [code(row.name), row.type, row.required ? "yes" : "no", row.says]),
        ),
    ...dataOf(source),
    ...(await exampleOf(source, cases)),
    ...casesOf(cases),
  );
}

/** What a file says about requests that cost something else. */
function exceptionsOf(charge: unknown): string {
  if (typeof charge !== "object" || charge === null) return "";
  const { when, rows = [] } = charge as { readonly when?: string; readonly rows?: readonly ChargeRow[] };
  if (when !== undefined) return `, if ${code(when)} is true`;
  const told = rows.filter((row) => row.when !== undefined);
  return told
    .map(
      (row) =>
        `; ${row.amount === 0 ? "nothing" : `${row.amount} ${row.currency ?? ""}`.trim()} if ${code(row.when!)} is true`,
    )
    .join("");
}

interface ChargeRow {
  readonly when?: string;
  readonly amount?: number;
  readonly currency?: string;
}

function functionPage({ id, title, description, inputs, output, timeoutMs, memoryMb, cases }: ListedFunction): Page {
  return page(
    `${FOLDER}/${id}.md`,
    generated("the function's declaration and cases"),
    `# ${code(id)}: ${title}`,
    description?.trim() ?? "",
    table(
      ["", ""],
      [
        ["time", `at most ${timeoutMs} ms`],
        ["memory", `at most ${memoryMb} MB`],
      ],
    ),
    "## Inputs",
    inputs === undefined ? "The function declares no schema for its inputs." : "",
    inputs === undefined
      ? ""
      : table(
          ["name", "type", "required", "meaning"],
          fieldsOf(inputs).map((row) => [code(row.name), row.type, needOf(row, inputs), row.says]),
        ),
    "## Output",
    output === undefined ? "The function declares no schema for its output." : "",
    output === undefined
      ? ""
      : table(
          ["name", "type", "always there", "meaning"],
          fieldsOf(output).map((row) => [code(row.name), row.type, row.required ? "yes" : "no", row.says]),
        ),
    ...functionCasesOf(cases),
  );
}

function functionCasesOf(cases: ListedFunction["cases"]): string[] {
  if (cases.length === 0) return [];
  return [
    "## Cases",
    "`npm test` runs each of them.",
    table(
      ["case", "inputs"],
      cases.map(({ name, inputs }) => [name, code(asText(inputs))]),
    ),
  ];
}

function facts(source: LoadedSource["source"], liveRun: string): string[][] {
  const { declaration } = source;
  // Only a YAML file has this; code decides it for each request.
  return [
    [
      "reaches",
      source.leavesMachine
        ? (declaration.origins ?? []).map(code).join(", ")
        : "nothing: it answers from data that comes with it",
    ],
    ...(declaration.regions === undefined ? [] : [["regions", declaration.regions.map(code).join(", ")]]),
    ["credential", source.credentialUse],
    [
      "a call costs",
      {
        free: "nothing",
        per_call: "one charge per call",
        per_match: "one charge per record",
        per_success: "one charge per completed call",
      }[source.charge] + exceptionsOf(declaration.charge),
    ],
    ["time", `at most ${source.timeoutMs} ms`],
    ...(source.leavesMachine ? [["last proof", liveRun]] : []),
    ...(declaration.docs === undefined ? [] : [["more", `<${declaration.docs}>`]]),
  ];
}

function dataOf({ declaration }: LoadedSource["source"]): string[] {
  const { data } = declaration;
  if (data === undefined || data.length === 0) return [];
  const rows = data.map(({ name, licence, date, url }) => [
    url === undefined ? name : `[${name}](${url})`,
    licence,
    date,
  ]);
  return ["## Data", table(["data", "licence", "date"], rows)];
}

/** The first case with a record. An offline source is really asked, so that the page shows its real output. */
async function exampleOf(source: LoadedSource["source"], cases: readonly SourceCase[]): Promise<string[]> {
  const example = cases.find(({ expect }) => "match" in expect && expect.match);
  if (example === undefined) return [];
  const request = { config: { sources: { [source.id]: true } }, inputs: example.inputs };
  const expected = "match" in example.expect ? (example.expect.output ?? example.expect.includes ?? {}) : {};
  const output = source.leavesMachine ? expected : await ask(source, example);
  return [
    "## Example",
    block("json", json(request)),
    source.leavesMachine
      ? `What its case expects in ${code("outputs")}, from a scripted reply of the vendor:`
      : `The entry in ${code("outputs")}:`,
    block("json", json({ [source.id]: output })),
  ];
}

async function ask(source: LoadedSource["source"], { inputs }: SourceCase): Promise<unknown> {
  const nowhere = {
    httpFor: () => {
      throw new Error("a page is written without a network");
    },
  };
  const asked = { source, organizationId: "org_1", context: "dev", region: "", entry: {}, inputs } as const;
  const { result } = await makeOneCall(asked, { client: nowhere, clock: systemClock, log: () => {} });
  if (result instanceof Fault) throw result;
  return JSON.parse(result.json.toString());
}

function casesOf(cases: readonly SourceCase[]): string[] {
  if (cases.length === 0) return [];
  return [
    "## Cases",
    "`npm test` runs each of them.",
    table(
      ["case", "inputs", "outcome"],
      cases.map(({ name, inputs, expect }) => [name, code(asText(inputs)), outcomeOf(expect)]),
    ),
  ];
}

const TEXT_MAX = 160;

/** On one line, with characters that a page cannot show escaped. */
function asText(value: unknown): string {
  const text = JSON.stringify(value)
    .replaceAll("`", "'")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]|(?! )\p{Zs}/gu, escaped);
  return text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX)}…`;
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

function outcomeOf(expect: SourceCase["expect"]): string {
  if ("failure" in expect) {
    return `failure ${code(expect.failure)}${expect.field === undefined ? "" : `, names ${code(expect.field)}`}`;
  }
  return expect.match ? "record" : "no record";
}
