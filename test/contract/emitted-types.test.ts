import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createPythonTypes, declarePython } from "../../src/contract/emit/python.ts";
import { readSchemas } from "../../src/contract/emit/read-schemas.ts";
import { createNames, typeNameOf } from "../../src/contract/emit/type-names.ts";
import { createTypeScriptTypes, declareTypeScript } from "../../src/contract/emit/typescript.ts";
import { openSources } from "../../src/project/open-catalogs.ts";
import { createAjv } from "../../src/terms/schema/ajv.ts";
import { CASES } from "./emitted-cases.ts";
import { OWN_SCHEMAS, suiteOfDraft4, type SchemaInstances } from "./emitted-schemas.ts";
import { checkPython, checkTypeScript, COMPILERS, pythonHead, toPython, toTypeScript } from "./type-checkers.ts";

/** At the end of a line in which a checker has to find an error. */
const REFUSED = "refused:";

/** Files by their names without an extension. Each checker runs once, on all of them. */
interface Checked {
  readonly typescript: string;
  readonly python: string;
}
const FILES: Record<string, Checked> = {};

const FROM_SUITE = suiteOfDraft4();
const SCHEMAS = [...FROM_SUITE, ...OWN_SCHEMAS];

before(async () => {
  FILES["instances"] = instances();
  FILES["cases"] = cases();
  FILES["catalog"] = await catalog();
});

test("the instances are many, and valid by draft 2020-12", () => {
  const count = (schemas: readonly SchemaInstances[]) => schemas.reduce((sum, { valid }) => sum + valid.length, 0);
  assert.ok(count(FROM_SUITE) >= 100, `${count(FROM_SUITE)} instances of the official suite`);
  assert.ok(count(OWN_SCHEMAS) >= 450, `${count(OWN_SCHEMAS)} own instances`);
  for (const { says, schema, valid } of SCHEMAS) {
    const validate = createAjv({ validateFormats: false }).compile(schema);
    for (const value of valid) assert.ok(validate(value), `${says}: ${JSON.stringify(value)}`);
  }
});

for (const compiler of Object.keys(COMPILERS) as (keyof typeof COMPILERS)[])
  test(`${compiler} accepts every valid instance and refuses exactly the misspelt names and wrong values`, async () => {
    const texts = Object.fromEntries(Object.entries(FILES).map(([name, { typescript }]) => [`${name}.ts`, typescript]));
    assert.deepEqual(linesIn(await checkTypeScript(compiler, texts), texts), refusedLines(texts));
  });

test("Python accepts every valid instance and refuses exactly the misspelt names and wrong values", async () => {
  const texts = Object.fromEntries(Object.entries(FILES).map(([name, { python }]) => [`${name}.py`, python]));
  assert.deepEqual(linesIn(await checkPython(texts), texts), refusedLines(texts));
});

/** The valid instances of schemas of draft 2020-12. Their objects have undeclared members, so they are open. */
function instances(): Checked {
  const styles = [true, false].map((isRead) => ({ isRead, dropsUndeclared: false, isOpen: true }));
  const inLanguage = (
    declare: typeof declareTypeScript,
    line: (name: string, at: number, value: unknown) => string,
    comment: string,
  ) => {
    const claim = createNames(["Array", "ReadonlyArray", "List", "Dict", "Sequence", "Mapping"]);
    const lines = styles.flatMap((style) =>
      SCHEMAS.flatMap(({ says, schema, valid }) => {
        const name = claim("T");
        const values = valid.map((value, at) => line(name, at, value));
        return [`${comment} ${says}`, ...declare(readSchemas([schema]), name, claim, style), ...values];
      }),
    );
    return lines.join("\n");
  };
  const typescript = (name: string, at: number, value: unknown) =>
    `export const v${name}_${at}: ${name} = ${toTypeScript(value)};`;
  const python = (name: string, at: number, value: unknown) => `v${name}_${at}: ${name} = ${toPython(value)}`;
  const head = pythonHead(["Dict", "List", "Literal", "Mapping", "NoReturn", "Sequence", "TypedDict", "Union"]);
  return {
    typescript: inLanguage(declareTypeScript, typescript, "//"),
    python: head + inLanguage(declarePython, python, "#:"),
  };
}

function cases(): Checked {
  const typescript = createTypeScriptTypes();
  const python = createPythonTypes();
  const lines = CASES.flatMap(({ says, schema, use = "source inputs", accepts, refuses, acceptedInPython = [] }) => {
    const name = typescript.add("Value", schema, use);
    assert.equal(python.add("Value", schema, use), name);
    const alsoInPython = new Set(acceptedInPython.map(toPython));
    const line = (value: unknown, isRefused: boolean) => ({
      typescript: `export const _: ${name} = ${toTypeScript(value)}; // ${isRefused ? REFUSED : ""} ${says}`,
      python: `_: ${name} = ${toPython(value)}  #: ${isRefused && !alsoInPython.has(toPython(value)) ? REFUSED : ""} ${says}`,
    });
    return [...accepts.map((value) => line(value, false)), ...refuses.map((value) => line(value, true))];
  });
  return fileOf(typescript, python, lines);
}

const SOURCES = [
  "brreg__enhet",
  "companies_house__company_profile",
  "eu_vies__vat",
  "gleif__lei_record",
  "google__phone_number",
  "ibantools__bank_account",
  "iso__country",
  "kvk__company_profile",
  "names__company_comparison",
  "opensanctions__match",
];

/** The inputs of the first case of each source, and one field of its output that every record has. */
async function catalog(): Promise<Checked> {
  const { all } = await openSources(undefined);
  const typescript = createTypeScriptTypes();
  const python = createPythonTypes();
  const lines = SOURCES.flatMap((id) => {
    const { inputs, output, cases = [] } = all.get(id)!.source.declaration;
    const given = cases[0]!.inputs;
    const [first, ...others] = Object.entries(given);
    const misspelt = Object.fromEntries([[`${first![0]}x`, first![1]], ...others]);
    const field = (output as { readonly required: readonly string[] }).required[0]!;
    const [inputType, outputType] = (["source inputs", "output"] as const).map((use) => {
      const [name, schema] = use === "output" ? [typeNameOf(id, "Output"), output] : [typeNameOf(id, "Inputs"), inputs];
      assert.equal(python.add(name, schema, use), typescript.add(name, schema, use));
      return name;
    });
    const inputLine = (value: unknown, refused: string) => ({
      typescript: `export const _: ${inputType} = ${toTypeScript(value)}; // ${refused}`,
      python: `_: ${inputType} = ${toPython(value)}  #: ${refused}`,
    });
    const outputLine = (name: string, refused: string) => ({
      typescript: `export const _ = (output: ${outputType}) => output.${name}; // ${refused}`,
      python: `def _(output: ${outputType}) -> object: return output["${name}"]  #: ${refused}`,
    });
    return [
      inputLine(given, ""),
      inputLine(misspelt, REFUSED),
      outputLine(field, ""),
      outputLine(`${field}x`, `${REFUSED} ${id}`),
    ];
  });
  assert.equal(lines.filter(({ typescript }) => typescript.includes(REFUSED)).length, 20);
  return fileOf(typescript, python, lines);
}

/** Gives each line of values a name of its own. */
function fileOf(
  typescript: ReturnType<typeof createTypeScriptTypes>,
  python: ReturnType<typeof createPythonTypes>,
  lines: readonly Checked[],
): Checked {
  const named = (text: string, at: number) => text.replace(/^(export const |def )?_/, `$1v${at}`);
  return {
    typescript: `${lines.map((line, at) => named(line.typescript, at)).join("\n")}\n\n${typescript.text()}`,
    python: `${pythonHead(python.imports())}\n\n${python.text()}\n\n${lines.map((line, at) => named(line.python, at)).join("\n")}\n`,
  };
}

/** The lines of the files in which a checker has found something, each once. */
function linesIn(errors: readonly string[], texts: Readonly<Record<string, string>>): readonly string[] {
  const found = errors.map((error) => {
    const [, file, line] = /^(.+?)\((\d+)\): /.exec(error)!;
    return `${file}: ${texts[file!]!.split("\n")[Number(line) - 1]!}`;
  });
  return [...new Set(found)].sort();
}

function refusedLines(texts: Readonly<Record<string, string>>): readonly string[] {
  const lines = Object.entries(texts).flatMap(([file, text]) => text.split("\n").map((line) => `${file}: ${line}`));
  return lines.filter((line) => line.includes(REFUSED)).sort();
}
