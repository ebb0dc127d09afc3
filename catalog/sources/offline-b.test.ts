import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { NoMatch, type SourceCall, type SourceCase, type SourceDeclaration } from "datarun";

const SOURCES = [
  "iptoasn/ip_country",
  "iso/country",
  "openstreetmap/country_at",
  "date_holidays/business_days",
  "names/person_comparison",
  "names/company_comparison",
];

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

class Failed extends Error {
  readonly kind: string;
  constructor(kind: string) {
    super(kind);
    this.kind = kind;
  }
}

for (const path of SOURCES) {
  const { default: source } = (await import(`./${path}.ts`)) as { default: SourceDeclaration };
  const cases = readCases(path, source);
  const isInput = ajv.compile(source.inputs);
  const isOutput = ajv.compile(source.output!);

  test(`${source.id} declares itself whole`, () => {
    assert.equal(source.id, path.replace("/", "__"));
    assert.ok((source.description ?? "").includes("No record"));
    assert.ok(source.data?.length);
    assert.equal(source.charge, "free");
    assert.equal(source.origins, undefined);
    assert.ok(cases.length >= 8, "has at least eight cases");
    for (const [name, field] of fields(source.inputs)) {
      assert.ok(field.description, `input ${name} is described`);
      if (field.type === "string") assert.ok(field.maxLength !== undefined, `input ${name} is bounded`);
    }
    for (const [name, field] of fields(source.output!)) assert.ok(field.description, `output ${name} is described`);
  });

  for (const example of cases) {
    test(`${source.id}: ${example.name}`, async () => {
      const { expect } = example;
      const outcome = await answer(source, isInput, example);
      if ("failure" in expect) {
        assert.equal(outcome.failure, expect.failure, JSON.stringify(outcome));
        if (expect.field !== undefined) assert.ok(outcome.fields?.includes(expect.field));
        return;
      }
      assert.equal(outcome.failure, undefined);
      assert.equal(outcome.match, expect.match, JSON.stringify(outcome));
      assert.deepEqual(JSON.parse(JSON.stringify(outcome.output)), outcome.output, "is plain JSON");
      if (outcome.match || Object.keys(outcome.output!).length > 0) {
        assert.ok(isOutput(outcome.output), JSON.stringify(isOutput.errors));
      }
      if (expect.output !== undefined) assert.deepEqual(outcome.output, expect.output);
      if (expect.includes !== undefined) assert.deepEqual(partLike(outcome.output, expect.includes), expect.includes);
    });
  }
}

interface Outcome {
  readonly failure?: string;
  readonly fields?: readonly string[];
  readonly match?: boolean;
  readonly output?: object;
}

async function answer(source: SourceDeclaration, isInput: ValidateFunction, example: SourceCase): Promise<Outcome> {
  const names = Object.keys((source.inputs as { properties: object }).properties);
  const inputs = Object.fromEntries(Object.entries(example.inputs).filter(([name]) => names.includes(name)));
  if (!isInput(inputs)) {
    return {
      failure: "input",
      fields: isInput.errors!.map(
        (error) => (error.params as { missingProperty?: string }).missingProperty ?? error.instancePath.split("/")[1]!,
      ),
    };
  }
  try {
    const said = await source.run(callOf(inputs));
    if (said === null) return { match: false, output: {} };
    return said instanceof NoMatch ? { match: false, output: said.output } : { match: true, output: said };
  } catch (thrown) {
    if (thrown instanceof Failed) return { failure: thrown.kind };
    throw thrown;
  }
}

/** The parts of a call that a source without network and credentials may use; any other is an error. */
function callOf(inputs: object): SourceCall<never, never> {
  const call = {
    inputs: Object.freeze(inputs),
    credentials: {},
    noMatch: (output: object = {}) => new NoMatch(output as never),
    fail: (kind: string) => {
      throw new Failed(kind);
    },
  };
  return call as unknown as SourceCall<never, never>;
}

/** The parts of the output that the expectation names: objects reduced to their named members, all else as it is. */
function partLike(output: unknown, named: unknown): unknown {
  if (!isObject(output) || !isObject(named)) return output;
  return Object.fromEntries(Object.entries(named).map(([name, part]) => [name, partLike(output[name], part)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readCases(path: string, source: SourceDeclaration): readonly SourceCase[] {
  const file = new URL(`./${path}.cases.json`, import.meta.url);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as SourceCase[]) : (source.cases ?? []);
}

interface Field {
  readonly description?: string;
  readonly type?: string;
  readonly maxLength?: number;
  readonly enum?: unknown;
}

function fields(schema: object): readonly (readonly [string, Field])[] {
  return Object.entries((schema as { properties: Record<string, Field> }).properties);
}
