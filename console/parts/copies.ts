import { program } from "../program.ts";
import { shellWord } from "./shell-word.ts";

/** A run as a client would request it. */
export interface ClientRequest {
  /** A variable takes its place if it is left out. */
  readonly workflow?: string | undefined;
  readonly context?: string | undefined;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The sources with the names of their inputs, or a function. */
  readonly asks: readonly AskedSource[] | { readonly functionId: string };
}

interface AskedSource {
  readonly source: string;
  readonly input_names: readonly string[];
}

/**
 * Renders the same request as a command and as programs with a generated client. Token and address are variables, so
 * that no secret is shown.
 */
export const LANGUAGES = { curl: toCurl, TypeScript: toTypeScript, Python: toPython } as const;

function toCurl({ workflow, context, inputs, asks }: ClientRequest): string {
  const config = {
    ...(context !== undefined && { context }),
    ...("functionId" in asks ? { data_func: asks.functionId } : { sources: sourcesOf(asks) }),
  };
  const header = "X-Service-Workflow";
  return [
    `curl -s "$DATARUN_URL${"functionId" in asks ? "/func" : "/data"}" \\`,
    `  -H "X-Service-Access-Token: $DATARUN_TOKEN" \\`,
    `  -H ${workflow === undefined ? `"${header}: $DATARUN_WORKFLOW"` : `'${header}: ${workflow}'`} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shellWord(JSON.stringify({ config, inputs }))}`,
  ].join("\n");
}

function sourcesOf(asks: readonly AskedSource[]) {
  return Object.fromEntries(asks.map(({ source }) => [source, true]));
}

function toTypeScript({ workflow, context, inputs, asks }: ClientRequest): string {
  const start = `// ${commandFor("ts", "datarun-client", asks)}
import { client } from "./datarun-client/index.js";

const { DATARUN_URL = "", DATARUN_TOKEN = ""${workflow === undefined ? ', DATARUN_WORKFLOW = ""' : ""} } = process.env;
const datarun = client({
  url: DATARUN_URL,
  token: DATARUN_TOKEN,
  workflow: ${workflow === undefined ? "DATARUN_WORKFLOW" : JSON.stringify(workflow)},
});
`;
  if ("functionId" in asks) {
    const options = context === undefined ? "" : `, ${JSON.stringify({ context })}`;
    return `${start}
const answer = await datarun.func(${JSON.stringify(asks.functionId)}, ${json(inputs, 0)}${options});
console.log(answer.result);`;
  }
  const { declared, others } = split(inputs, asks);
  // Names that no source declares, such as `simulate`, would not compile.
  const sent = others === null ? json(declared, 2) : `{ ...${json(declared, 2)}, ...${json(others, 2)} }`;
  return `${start}
const answer = await datarun.data({
  sources: ${json(sourcesOf(asks), 2)},
  inputs: ${sent},${context === undefined ? "" : `\n  context: ${JSON.stringify(context)},`}
});
console.log(answer.results);`;
}

function toPython({ workflow, context, inputs, asks }: ClientRequest): string {
  const names = "functionId" in asks ? [asks.functionId] : asks.map(({ source }) => source);
  const start = `# ${commandFor("python", "datarun_client", asks)}
import os

from datarun_client import (
${["Client", ...names].map((name) => `    ${name},\n`).join("")})

datarun = Client(
    os.environ["DATARUN_URL"],
    os.environ["DATARUN_TOKEN"],
    ${workflow === undefined ? 'os.environ["DATARUN_WORKFLOW"]' : JSON.stringify(workflow)},
)
`;
  const last = context === undefined ? "" : `    context=${JSON.stringify(context)},\n`;
  if ("functionId" in asks) {
    return `${start}answer = datarun.func(
    ${asks.functionId}(${pythonOf(inputs, 1)}),
${last})
print(answer.result)`;
  }
  const { others } = split(inputs, asks);
  const calls = asks.map(({ source, input_names }, at) => {
    const own = Object.fromEntries(Object.entries(inputs).filter(([name]) => input_names.includes(name)));
    // All sources of a run get their inputs from one object, so any of them can bring what none declares.
    const isUndeclared = at === 0 && others !== null;
    const sent = pythonOf(isUndeclared ? { ...own, ...others } : own, 1);
    return `    ${source}(${isUndeclared ? sent.replace("{", "{  # type: ignore") : sent}),\n`;
  });
  return `${start}answer = datarun.data(
${calls.join("")}${last})
print(answer.results)`;
}

function commandFor(lang: string, folder: string, asks: ClientRequest["asks"]): string {
  const chosen =
    "functionId" in asks ? ` --function ${asks.functionId}` : asks.map(({ source }) => ` --source ${source}`).join("");
  return `${program.value} client generate --lang ${lang} --out ${folder}${chosen}`;
}

/** The inputs that a source declares, and the others; `null` if there are none. */
function split(inputs: Readonly<Record<string, unknown>>, asks: readonly AskedSource[]) {
  const isDeclared = (name: string) => asks.some(({ input_names }) => input_names.includes(name));
  const [declared, others] = [true, false].map((wanted) =>
    Object.fromEntries(Object.entries(inputs).filter(([name]) => isDeclared(name) === wanted)),
  );
  return { declared: declared!, others: Object.keys(others!).length === 0 ? null : others! };
}

/** A JSON value as TypeScript, inside lines that are indented. */
function json(value: unknown, by: number): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${" ".repeat(by)}`);
}

/** A JSON value as Python source. A JSON string is a valid Python string. */
function pythonOf(value: unknown, depth = 0): string {
  const inner = "    ".repeat(depth + 1);
  const outer = "    ".repeat(depth);
  const block = (open: string, parts: readonly string[], close: string) =>
    parts.length === 0
      ? open + close
      : `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${outer}${close}`;
  if (Array.isArray(value))
    return block(
      "[",
      value.map((part) => pythonOf(part, depth + 1)),
      "]",
    );
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([name, part]) => `${JSON.stringify(name)}: ${pythonOf(part, depth + 1)}`,
    );
    return block("{", members, "}");
  }
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null ? "None" : JSON.stringify(value);
}
