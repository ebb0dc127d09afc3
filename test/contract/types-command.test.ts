import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { shell } from "../cli/project-shell.ts";
import { project } from "../start/project-folder.ts";
import { compile, COMPILERS } from "./type-checkers.ts";

const DATARUN = fileURLToPath(new URL("../../bin/datarun.mjs", import.meta.url));

/** A project, and the command in a process of its own. */
function place(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = project(t, files);
  const path = (name: string) => join(folder, name);
  return {
    folder,
    read: (name: string) => readFileSync(path(name), "utf8"),
    write: (name: string, text: string) => writeFileSync(path(name), text),
    has: (name: string) => existsSync(path(name)),
    types: (...args: readonly string[]) =>
      new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
        const child = execFile(process.execPath, [DATARUN, "types", ...args], { cwd: folder }, (_, stdout, stderr) =>
          resolve({ code: child.exitCode!, stdout, stderr }),
        );
      }),
  };
}

const SOURCE = `
id: acme__company
title: Company
inputs:
  type: object
  required: [number]
  properties: { number: { type: string }, country: { enum: [GB, DE] } }
output:
  type: object
  required: [name]
  properties: { name: { type: string }, employees: { type: [integer, "null"] } }
origins: [https://api.acme.example]
request: { url: "https://api.acme.example/{{ inputs.number }}" }
match: { record: status == \`200\`, no_record: status == \`404\` }
map: { name: body.name, employees: body.staff }
`;

/** Lines with an error end with the message that the compiler begins with. */
const FUNCTION = `import { defineFunction, type SourceOutcome } from "datarun";

export default defineFunction({
  id: "dfunc_uses",
  title: "Uses",
  async run({ run, inputs }) {
    const found = await run("acme__company", { number: "1", country: "GB" });
    if (found.match) {
      const name: string = found.output.name;
      const employees: number | null | undefined = found.output.employees;
      found.output.employes; //! Property 'employes' does not exist
      return { output: { name, employees } };
    }
    if (found.success) return { output: { more: found.output.anything } };
    found.output.name satisfies undefined;
    found.output.nam; //! Property 'nam' does not exist
    if (found.failure?.retryable) await run("acme__company", { number: "1" });

    await run("acme__company", { numbr: "1" }); //! Object literal may only specify known properties
    await run("acme__company", { number: "1", country: "FR" }); //! Type '"FR"' is not assignable
    await run("acme__company"); //! Expected 2 arguments, but got 1.
    await run("acme__compny", { number: "1" }); //! Argument of type '"acme__compny"' is not assignable
    const unread = await run("gleif__lei_record", { lei: "5493001KJTIIGC8Y1R12" });
    unread.output.legal_nam; //! Property 'legal_nam' does not exist
    const helper = (outcome: SourceOutcome<"acme__company">) => (outcome.match ? outcome.output.name : null);
    const loose: SourceOutcome = found;

    const computed = String(inputs["source"]);
    const other = await run(computed, { anything: 1 });
    const another = await run(\`acme__\${computed}\`, { anything: 1 });
    return { output: { at: other.output.what.ever, another: another.output, helper: helper(found), loose } };
  },
});
`;

function expectedErrors(text: string): readonly string[] {
  return text.split("\n").flatMap((line, at) => {
    const [, message] = /\/\/! (.*)/.exec(line) ?? [];
    return message === undefined ? [] : [`functions/uses.ts(${at + 1}): ${message}`];
  });
}

test("in a data function, misspelt sources, inputs and fields are compile errors, and nothing else is", async (t) => {
  const { folder, types } = place(t, { "sources/acme/company.yaml": SOURCE, "functions/uses.ts": FUNCTION });
  const made = await types("--project", ".");
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  assert.match(made.stdout, /^tsconfig\.json: created\ndatarun-env\.d\.ts: \d+ sources\n$/);
  const expected = expectedErrors(FUNCTION);
  assert.equal(expected.length, 7);
  for (const compiler of Object.keys(COMPILERS) as (keyof typeof COMPILERS)[])
    await t.test(compiler, async () => {
      const errors = await compile(compiler, folder);
      assert.deepEqual(
        errors.map((error, at) => error.slice(0, expected[at]?.length)),
        expected,
      );
    });
});

test("without the generated file, sources have the types of unknown ones", async (t) => {
  const { folder, types, write } = place(t, { "functions/uses.ts": FUNCTION });
  await types("--project", ".");
  write("datarun-env.d.ts", "");
  const [compiler] = Object.keys(COMPILERS).slice(-1) as (keyof typeof COMPILERS)[];
  assert.deepEqual(await compile(compiler!, folder), []);
});

test("--check writes nothing, and its exit code is 2 until the file is current", async (t) => {
  const { types, has, read, write } = place(t, { "sources/acme/company.yaml": SOURCE });
  const missing = await types("--project", ".", "--check");
  assert.deepEqual([missing.code, missing.stdout], [2, ""]);
  assert.match(missing.stderr, /^datarun-env\.d\.ts is missing\. Write it with: .* types\n$/);
  assert.deepEqual([has("datarun-env.d.ts"), has("tsconfig.json")], [false, false]);

  await types("--project", ".");
  const before = read("datarun-env.d.ts");
  assert.equal((await types("--project", ".", "--check")).code, 0);

  write("sources/acme/company.yaml", SOURCE.replace("employees", "staff"));
  const outdated = await types("--project", ".", "--check");
  assert.deepEqual([outdated.code, read("datarun-env.d.ts") === before], [2, true]);
  assert.match(outdated.stderr, /is outdated/);

  assert.equal((await types("--project", ".")).code, 0);
  assert.match(read("datarun-env.d.ts"), /staff\?: number \| null;/);
  assert.match((await types("--project", ".")).stdout, /already current/);
});

test("files of the author are never changed", async (t) => {
  const own = { "datarun-env.d.ts": "export type Mine = 1;\n", "tsconfig.json": "{}\n" };
  const { folder, types, read } = place(t, own);
  for (const args of [[], ["--check"]]) {
    const refused = await types("--project", ".", ...args);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /datarun-env\.d\.ts is not a file that datarun has generated\. Rename it, or remove it\./,
    );
  }
  assert.equal((await shell(t, folder).run(["function", "new", "dfunc_mine"])).code, 0);
  for (const [name, text] of Object.entries(own)) assert.equal(read(name), text);
});

test("a broken source, and a folder that is not there, are named, and nothing is written", async (t) => {
  const { types, has } = place(t, { "sources/acme/company.yaml": SOURCE.replace("type: object", "type: objct") });
  const broken = await types("--project", ".");
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /company\.yaml/);
  assert.equal(has("datarun-env.d.ts"), false);

  const nowhere = await types("--project", "nowhere");
  assert.deepEqual([nowhere.code, nowhere.stderr], [1, "The project folder nowhere does not exist.\n"]);
  const none = await types();
  assert.deepEqual([none.code, none.stderr], [1, "There is no project folder: name one with --project.\n"]);
});

test("function new and source new make both files, and the new function compiles", async (t) => {
  const { folder, has, read } = place(t, { "reply.json": JSON.stringify({ id: "7", name: "Ada" }) });
  const { run } = shell(t, folder);
  const made = await run(["function", "new", "dfunc_first"]);
  assert.match(made.stderr, /datarun-env\.d\.ts has the types of all sources\.\n.*tsconfig\.json/);
  const [compiler] = Object.keys(COMPILERS).slice(-1) as (keyof typeof COMPILERS)[];
  assert.deepEqual(await compile(compiler!, folder), []);
  assert.equal(has("tsconfig.json"), true);
  assert.doesNotMatch(read("datarun-env.d.ts"), /acme__company/);

  const options = { title: "Company", url: "https://api.acme.example/v1/{id}", auth: "none", nobody: "404" };
  const given = Object.entries({ ...options, sample: join(folder, "reply.json") });
  const source = await run([
    "source",
    "new",
    "acme__company",
    ...given.flatMap(([name, value]) => [`--${name}`, value]),
  ]);
  assert.equal(source.code, 0, source.stderr);
  assert.match(read("datarun-env.d.ts"), /acme__company: \{ inputs: AcmeCompanyInputs; output: AcmeCompanyOutput \}/);
});
