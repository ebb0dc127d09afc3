import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { SourceCase } from "../../src/sdk/source.ts";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { fakeCall, replyOf } from "../../src/sources/declarative/fake-call.kit.ts";
import { createSchemas } from "../../src/terms/schema/author-schemas.ts";
import { Fault } from "../../src/terms/fault.ts";
import type { JsonObject } from "../../src/terms/json/json.ts";

const folder = fileURLToPath(new URL("../../catalog/sources", import.meta.url));
const schemas = createSchemas();

/** What is left of a form that nobody filled in, and what filters such as `trim`, `digits` and `alphanumeric` take away. */
const BLANK = [" ", "\t", "\u00a0", "\u200b", "-", ". ", "/-"];
const WITHOUT_DIGITS = ["a", "é", "x-"];
const LENGTHS = [1, 2, 3, 5, 8, 9, 10, 12, 18, 20];

const ofEveryLength = (pieces: readonly string[]) =>
  pieces.flatMap((piece) => LENGTHS.map((length) => piece.repeat(length).slice(0, length)));

for (const file of globSync("**/*.yaml", { cwd: folder }).sort()) {
  const source = compileDeclarative(readFileSync(join(folder, file), "utf8"), file);
  const problemIn = schemas.validator(source.inputs);
  const properties = Object.entries((source.inputs as { properties: Record<string, { type?: string }> }).properties);
  const texts = properties.filter(([, { type }]) => type === "string").map(([name]) => name);

  test(`${source.id} refuses a text input that is blank, whichever it is`, () => {
    for (const name of texts) {
      for (const value of ofEveryLength(BLANK)) {
        const inputs = { ...goodInputs(source.cases ?? [], name), [name]: value };
        assert.notEqual(problemIn(inputs), null, `${name} takes ${JSON.stringify(value)}`);
      }
    }
  });

  test(`${source.id} takes no text that its filters leave nothing of`, async () => {
    for (const name of texts) {
      for (const value of ofEveryLength([...BLANK, ...WITHOUT_DIGITS])) {
        const inputs: JsonObject = { ...goodInputs(source.cases ?? [], name), [name]: value };
        if (problemIn(inputs) !== null) continue;
        const credentials =
          (source.cases ?? []).find(({ credentials }) => credentials !== undefined)?.credentials ?? {};
        const { call } = fakeCall(() => replyOf(599), { inputs, credentials: credentials as JsonObject });
        const thrown: unknown = await Promise.resolve(source.run(call)).catch((thrown: unknown) => thrown);
        const code = thrown instanceof Fault ? thrown.code : undefined;
        assert.notEqual(code, "source.input_invalid", `${name} takes ${JSON.stringify(value)} and cannot send it`);
      }
    }
  });
}

/** Inputs of a case that are right, with the named one among them if any case has it. */
function goodInputs(cases: readonly SourceCase[], name: string): JsonObject {
  const good = cases.filter(({ expect }) => "match" in expect).map(({ inputs }) => inputs as JsonObject);
  return good.find((inputs) => Object.hasOwn(inputs, name)) ?? good[0] ?? {};
}
