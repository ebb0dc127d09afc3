import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { findVerbs } from "../../src/admin/find-verbs.ts";

const verbs = findVerbs();
const ajv = new Ajv2020({ strict: false, allowUnionTypes: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
const checks = new Map<string, ValidateFunction | null>();

/**
 * That a verb's result is what its schema says, with no field besides. For clients results are open; for the verbs
 * themselves they are not, or the contract would not tell of a new field.
 */
export async function assertResult(name: string, result: unknown): Promise<void> {
  let check = checks.get(name);
  if (!verbs.names.includes(name)) return;
  if (check === undefined) {
    const { result: schema } = await verbs.load(name);
    check = schema === undefined ? null : ajv.compile(closed(JSON.parse(JSON.stringify(schema))) as object);
    checks.set(name, check);
  }
  if (check === null) return;
  assert.ok(check(result), `the result of "${name}": ${ajv.errorsText(check.errors)}\n${JSON.stringify(result)}`);
}

/** The same for what a command has printed with `--json`. */
export async function assertPrinted(args: readonly string[], stdout: string): Promise<void> {
  if (!args.includes("--json") || stdout === "") return;
  const printed = JSON.parse(stdout) as object;
  const name = verbOf(args);
  if (name !== undefined && !("error" in printed) && !("help" in printed)) await assertResult(name, printed);
}

function verbOf(args: readonly string[]): string | undefined {
  return verbs.names
    .filter((name) => `${args.join(" ")} `.startsWith(`${name} `))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** Objects whose fields are named have no others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const { properties } = schema as { properties?: object };
  return properties === undefined || Object.keys(properties).length === 0
    ? inside
    : { ...inside, additionalProperties: false };
}
