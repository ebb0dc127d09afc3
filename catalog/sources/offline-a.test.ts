import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import * as fc from "fast-check";
import { NoMatch, type SourceCase, type SourceDeclaration } from "datarun";
import { issuerOf, validateNumber } from "../offline/numbers/validate-number.ts";
import phoneNumber from "./google/phone_number.ts";
import bankAccount from "./ibantools/bank_account.ts";
import emailAddress from "./mailcheck/email_address.ts";
import domain from "./publicsuffix/domain.ts";
import registrationNumber from "./stdnum/registration_number.ts";

type AnySource = Omit<SourceDeclaration, "run"> & { run(call: unknown): unknown };

const SOURCES = [phoneNumber, bankAccount, emailAddress, domain, registrationNumber] as unknown as readonly AnySource[];
const installed = createRequire(import.meta.url);

const ajv = new Ajv2020({ strict: false });
ajvFormats.default(ajv);

for (const source of SOURCES) {
  const validInputs = ajv.compile(source.inputs);
  const validOutput = ajv.compile(source.output ?? false);

  for (const example of casesOf(source)) {
    test(`${source.id}: ${example.name}`, async () => {
      const { expect } = example;
      if ("failure" in expect) {
        assert.equal(expect.failure, "input");
        assert.equal(validInputs(example.inputs), false);
        assert.equal(firstField(validInputs), expect.field);
        return;
      }
      assert.ok(validInputs(example.inputs), ajv.errorsText(validInputs.errors));
      const answer = await ask(source, example.inputs);
      assert.equal(answer.match, expect.match);
      if (answer.match) assert.ok(validOutput(answer.output), ajv.errorsText(validOutput.errors));
      if (expect.output !== undefined) assert.deepEqual(answer.output, expect.output);
      if (expect.includes !== undefined) assert.partialDeepStrictEqual(answer.output, expect.includes);
    });
  }

  test(`${source.id} answers any input its schema takes, and by its own contract`, async () => {
    const inputs = anyInputs(source).filter((inputs) => validInputs(inputs));
    await fc.assert(
      fc.asyncProperty(inputs, async (inputs) => {
        const answer = await ask(source, inputs);
        if (answer.match) assert.ok(validOutput(answer.output), ajv.errorsText(validOutput.errors));
      }),
      { numRuns: 500 },
    );
  });

  test(`${source.id} shows a record, no record and a failure in at least eight cases`, () => {
    const kinds = casesOf(source).map(({ expect }) => ("failure" in expect ? "failure" : String(expect.match)));
    assert.ok(kinds.length >= 8);
    assert.deepEqual(new Set(kinds), new Set(["true", "false", "failure"]));
  });

  test(`${source.id} names the releases of its data that are installed`, () => {
    assert.ok(source.data !== undefined && source.data.length > 0);
    for (const { name } of source.data) {
      const [, packageName, version] = /^(\S+) (\S+): ./.exec(name) ?? [];
      const manifest = installed.resolve(`../../node_modules/${packageName}/package.json`);
      assert.equal(version, (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version, name);
    }
  });
}

test("google__phone_number takes exactly the regions its numbering plans know", async () => {
  const { getCountries } = await import("libphonenumber-js/max");
  const { country } = (phoneNumber.inputs as unknown as { properties: { country: { enum: readonly string[] } } })
    .properties;
  assert.deepEqual([...country.enum].sort(), [...getCountries()].sort());
});

test("ibantools__bank_account asks the newest list of banks in the package", () => {
  const file = join(dirname(installed.resolve("bankdata-germany")), "data/next.json");
  const next = JSON.parse(readFileSync(file, "utf8")) as { valid: string };
  const stated = bankAccount.data?.find(({ name }) => name.startsWith("bankdata-germany"))?.date;
  // The list becomes valid at midnight in Germany.
  const begins = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Berlin" }).format(new Date(next.valid));
  assert.equal(stated, begins);
});

test("stdnum__registration_number has a rule and a name for every number it lists", async () => {
  const { stdnum } = await import("stdnum");
  const rows = [...(registrationNumber.description ?? "").matchAll(/^\| ([A-Z]{2}) \| (.+) \|$/gm)];
  assert.ok(rows.length > 25);
  for (const [, country = "", kinds = ""] of rows) {
    for (const [, types = ""] of kinds.matchAll(/\(([^)]+)\)/g)) {
      for (const type of types.split(", ")) {
        assert.ok(stdnum[issuerOf(country)]?.[type], `${country} has no ${type}`);
        assert.deepEqual(validateNumber(country, type, "?", "2026-01-01"), { refusal: "unknown_format" });
      }
    }
  }
});

function casesOf(source: AnySource): readonly SourceCase[] {
  const file = new URL(`${source.id.replace("__", "/")}.cases.json`, import.meta.url);
  const beside = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly SourceCase[]) : [];
  return [...(source.cases ?? []), ...beside];
}

const ODD = ["\0", "\u200b", "\u202e", "\ud800", "０", "Ⅷ", "ß", "İ", "@", "/", "%", "[", "+", ".".repeat(30)];

/** Inputs of the cases with parts inserted and removed, so that many come close to a record. */
function anyInputs(source: AnySource): fc.Arbitrary<Record<string, unknown>> {
  const piece = fc.oneof(
    fc.constantFrom("", ...ODD),
    fc.string({ unit: "grapheme", maxLength: 6 }),
    fc.stringMatching(/^\d+$/),
  );
  const edits = fc.array(fc.tuple(fc.nat(), fc.nat(3), piece), { maxLength: 4 });
  return fc.tuple(fc.constantFrom(...casesOf(source)), edits).map(([{ inputs }, edits]) => {
    const edited = Object.entries(inputs).map(([name, value]) =>
      typeof value !== "string" || name === "country" || name === "kind" ? [name, value] : [name, edit(value, edits)],
    );
    return Object.fromEntries(edited) as Record<string, unknown>;
  });
}

function edit(text: string, edits: readonly (readonly [at: number, cut: number, put: string])[]): string {
  return edits.reduce((text, [at, cut, put]) => {
    const start = at % (text.length + 1);
    return text.slice(0, start) + put + text.slice(start + cut);
  }, text);
}

async function ask(source: AnySource, inputs: object) {
  const noMatch = (output: object = {}) => new NoMatch(output as NoMatch["output"]);
  const answer = await source.run({ inputs: Object.freeze({ ...inputs }), credentials: {}, noMatch });
  const output: unknown = answer instanceof NoMatch ? answer.output : answer;
  assert.deepEqual(JSON.parse(JSON.stringify(output)), output, "the output is plain JSON");
  return { match: !(answer instanceof NoMatch), output };
}

/** The field of the first problem: the one that is missing or wrong. */
function firstField(validate: ValidateFunction): string | undefined {
  const problem = validate.errors?.[0];
  const missing: unknown = problem?.params["missingProperty"];
  return typeof missing === "string" ? missing : problem?.instancePath.split("/")[1];
}
