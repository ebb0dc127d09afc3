import { declarationProblem } from "../../src/sources/check-declaration.ts";
import { toRunnable } from "../../src/sources/runnable.ts";
import { createSchemas } from "../../src/terms/schema/author-schemas.ts";
import type { LoadedSource, LoadedSources } from "../../src/project/load-sources.ts";
import type { HttpOptions } from "../../src/sdk/http.ts";
import { defineSource, type SourceAnswer, type SourceCall, type SourceDeclaration } from "../../src/sdk/source.ts";
import type { JsonObject } from "../../src/terms/json/json.ts";
import type { Vendor } from "../vendor/scripted-vendor.ts";

type Changes = Partial<Omit<SourceDeclaration, "id" | "run">>;
// The tests' sources read whatever they are given.
type Run = (call: SourceCall) => unknown;

/** A source that does this. */
export function source(id: string, run: Run, changes: Changes = {}): SourceDeclaration {
  return defineSource({ id, title: id, inputs: { type: "object" }, ...changes, run: run as () => SourceAnswer });
}

/** Has a record, always this one. */
export function answers(id: string, output: JsonObject, changes: Changes = {}): SourceDeclaration {
  return source(id, () => output, changes);
}

/** Completes without a record. */
export function findsNobody(id: string): SourceDeclaration {
  return source(id, () => null);
}

/** Throws this, whatever it is. */
export function throws(id: string, thrown: unknown): SourceDeclaration {
  return source(id, () => {
    throw thrown;
  });
}

export function neverAnswers(id: string, changes: Changes = {}): SourceDeclaration {
  return source(id, () => new Promise(() => {}), changes);
}

/** Takes these input fields, any value each, and answers with what it was given. */
export function repeatsInputs(id: string, ...names: string[]): SourceDeclaration {
  const inputs = { type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) };
  return source(id, (call) => ({ inputs: call.inputs }), { inputs });
}

/** Asks a vendor once and returns its reply as it is. */
export function asksVendor(
  id: string,
  vendor: Pick<Vendor, "origin">,
  path: string,
  changes: Changes & { readonly http?: HttpOptions } = {},
): SourceDeclaration {
  const { http: options, ...declared } = changes;
  return source(id, ({ http }) => http.get(vendor.origin + path, options), { origins: [vendor.origin], ...declared });
}

/** Takes a credential with one field and sends it to a vendor, so that the test can see which one it was. */
export function sendsCredential(
  id: string,
  vendor: Pick<Vendor, "origin">,
  path: string,
  changes: Changes = {},
): SourceDeclaration {
  return source(
    id,
    async ({ http, credentials }) => {
      await http.get(vendor.origin + path, { headers: { "x-api-key": credentials["api_key"] as string } });
      return { found: true };
    },
    { origins: [vendor.origin], credentials: API_KEY, ...changes },
  );
}

export const API_KEY = {
  type: "object",
  properties: { api_key: { type: "string", minLength: 1 } },
  required: ["api_key"],
} as const;

/** Declarations as the service loads those of a project folder. */
export function loadDeclared(declarations: readonly SourceDeclaration[]): LoadedSources {
  const schemas = createSchemas();
  const all = new Map<string, LoadedSource>();
  for (const declaration of declarations) {
    const problem = declarationProblem(declaration);
    if (problem !== null) throw new Error(`${declaration.id}: ${problem}`);
    if (all.has(declaration.id)) throw new Error(`${declaration.id} is declared twice`);
    const runnable = toRunnable(declaration, schemas, "now");
    all.set(declaration.id, { source: runnable, file: `${declaration.id}.ts`, from: "project" });
  }
  return { all, replaced: [], problems: [] };
}
