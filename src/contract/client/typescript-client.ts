import { readFileSync } from "node:fs";
import { createTypeScriptTypes, docComment, typeScriptLiteral } from "../emit/typescript.ts";
import {
  CLIENT_MARK,
  type ClientFiles,
  type ClientParts,
  declareFunction,
  declareSource,
  listOf,
  resumeInputsOf,
  timeoutsOf,
} from "./client-files.ts";

/** A package for Node and other runtimes with `fetch`: JavaScript with declarations, without dependencies. */
export function typeScriptClient(parts: ClientParts, name: string): ClientFiles {
  return new Map([
    ["index.js", entryOf(parts)],
    ["index.d.ts", declarationsOf(parts)],
    ["client.js", verbatim("client.js")],
    ["client.d.ts", verbatim("client.d.ts")],
    ["package.json", manifestOf(name)],
    ["README.md", readmeOf(parts, name)],
  ]);
}

function verbatim(file: string): string {
  return `// ${CLIENT_MARK}\n${readFileSync(new URL(`typescript/${file}`, import.meta.url), "utf8")}`;
}

function entryOf(parts: ClientParts): string {
  const deployment = { timeouts: timeoutsOf(parts), resumeInputs: resumeInputsOf(parts) };
  return `// ${CLIENT_MARK}
import { createClient } from "./client.js";
export { DatarunError, resume, retryable } from "./client.js";

const deployment = ${JSON.stringify(deployment, null, 2)};

export function client(options) {
  return createClient(options, deployment);
}
`;
}

function declarationsOf(parts: ClientParts): string {
  const { sources, functions, sourceKinds, functionKinds } = parts;
  const types = createTypeScriptTypes();
  const sourceRows = sources.map((source) => {
    const [inputs, output, credentials] = declareSource(types, source, "Readonly<Record<string, never>>");
    return `${docComment(source.title, "  ")}  ${source.id}: { inputs: ${inputs}; output: ${output}; credentials: ${credentials} };\n`;
  });
  const functionRows = functions.map((declared) => {
    const [inputs, output] = declareFunction(types, declared);
    return `${docComment(declared.title, "  ")}  ${declared.id}: { inputs: ${inputs}; output: ${output} };\n`;
  });
  const kinds = (names: readonly string[]) => names.map(typeScriptLiteral).join(" | ");
  return `// ${CLIENT_MARK}
import type {
  Client,
  ClientOptions,
  DataAnswer as AnyDataAnswer,
  DataRequest as AnyDataRequest,
  FunctionAnswer as AnyFunctionAnswer,
  Selection,
  SourceResult as AnySourceResult,
} from "./client.js";
export { DatarunError } from "./client.js";
export type { ClientOptions, Context, FunctionFailure, RequestOptions, SourceFailure } from "./client.js";

/** The sources that this client knows. */
export interface Sources {
${sourceRows.join("")}}

/** The functions that this client knows. */
export interface Functions {
${functionRows.join("")}}

export type SourceId = keyof Sources;
export type FunctionId = keyof Functions;
export type SourceFailureKind = ${kinds(sourceKinds)};
export type FunctionFailureKind = ${kinds(functionKinds)};

export type Datarun = Client<Sources, Functions, SourceFailureKind, FunctionFailureKind>;
export type DataRequest<Chosen extends Selection<Sources>> = AnyDataRequest<Sources, Chosen>;
export type DataAnswer<Chosen extends Selection<Sources>> = AnyDataAnswer<Sources, Chosen, SourceFailureKind>;
export type FunctionAnswer<Id extends FunctionId> = AnyFunctionAnswer<Functions[Id]["output"], FunctionFailureKind>;
export type SourceResult<Id extends SourceId> = AnySourceResult<Sources[Id]["output"], SourceFailureKind>;

/** A client of the service. Make one and use it for all requests. */
export function client(options: ClientOptions): Datarun;

/**
 * The request for exactly those sources whose failure is \`retryable\`; \`null\` if there are none. Wait before you send it,
 * and longer each time: each call can be billed again.
 */
export function retryable<Chosen extends Selection<Sources>>(
  answer: DataAnswer<Chosen>,
): DataRequest<Partial<Chosen>> | null;

/** For each order that is placed and can be fetched: the request that fetches its result, and orders nothing. */
export function resume<Chosen extends Selection<Sources>>(answer: DataAnswer<Chosen>): DataRequest<Partial<Chosen>>[];
export function resume(answer: FunctionAnswer<FunctionId>): DataRequest<Selection<Sources>>[];

${types.text()}`;
}

function manifestOf(name: string): string {
  const manifest = {
    name,
    version: "0.0.0",
    private: true,
    description: CLIENT_MARK,
    type: "module",
    exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
    types: "./index.d.ts",
    engines: { node: ">=18" },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function readmeOf(parts: ClientParts, name: string): string {
  const asked = parts.sources[0]?.id ?? "vendor__source";
  return `<!-- ${CLIENT_MARK} -->

# ${name}

A client of datarun in JavaScript, with types for TypeScript 5.0 or newer. It has no dependencies. Use it on a server only, because the token must not reach a browser.

\`\`\`ts
import { client } from "${name}";

const datarun = client({ url, token, workflow });
const answer = await datarun.data({ sources: { ${asked}: true }, inputs: { /* … */ } });
const result = answer.results.${asked};
if (!result.success) console.log(result.failure);
else if (result.match) console.log(result.output);
\`\`\`

- Nothing is repeated by itself, because each run can be billed. \`retryable(answer)\` is the request for exactly the sources that may be repeated, \`resume(answer)\` are the requests that fetch the results of orders.
- Refusals and broken connections are thrown as \`DatarunError\`. If no answer has arrived, the operator finds the run by its \`clientRequestId\`.
${listOf(parts)}`;
}
