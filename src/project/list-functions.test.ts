import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { DescribedFunction } from "../admin/ports.ts";
import { layFiles, type Laid } from "../functions/imports/lay-files.kit.ts";
import { systemClock } from "../terms/time/clock.ts";
import { toFunctionListing } from "./list-functions.ts";
import { openFunctions } from "./open-functions.ts";

const QUIET = { info: () => {}, warn: () => {}, error: () => {} };
const SECRET = "SECRET";
const CODE = 'export default { id: "dfunc_a", title: "A", run: () => ({ output: {} }) };\n';
const CASE = '[{ "name": "plain", "inputs": {}, "expect": { "success": true } }]';

/**
 * A project with one function, opened as a service opens it. The files of `laid` are then written, replacing those of
 * the same name.
 */
async function open(t: TestContext, laid: Readonly<Record<string, Laid>>): Promise<DescribedFunction> {
  const above = await mkdtemp(join(tmpdir(), "datarun-listed-"));
  t.after(() => rm(above, { recursive: true, force: true }));
  const project = join(above, "project");
  await layFiles(project, {
    "functions/a.ts": CODE,
    ".datarun/root-1.key": SECRET,
    ".datarun/secret.json": `"${SECRET}"`,
    "../outside.ts": SECRET,
    "../outside.json": `"${SECRET}"`,
  });
  const functions = await openFunctions({
    catalog: undefined,
    project,
    clock: systemClock,
    log: QUIET,
    dataDirs: [join(project, ".datarun")],
    processes: 1,
    spare: false,
  });
  t.after(() => functions.close());
  assert.deepEqual(functions.problems, []);
  for (const path of Object.keys(laid)) await rm(join(project, path), { force: true });
  await layFiles(project, laid);
  return toFunctionListing(functions).list()[0]!;
}

const REPLACED: Readonly<Record<string, Readonly<Record<string, Laid>>>> = {
  "a link to the root key": { "functions/a.ts": { link: ".datarun/root-1.key" } },
  "a second name of the root key": { "functions/a.ts": { sameAs: ".datarun/root-1.key" } },
  "a link out of the project": { "functions/a.ts": { link: "../outside.ts" } },
  "a pipe, whose reading would never begin": { "functions/a.ts": { a: "pipe" } },
  "a link to a device, whose reading would never end": { "functions/a.ts": { link: "/dev/zero" } },
  "a folder": { "functions/a.ts": { a: "folder" } },
  "a text of many megabytes": { "functions/a.ts": { mebibytes: 2 } },
};

for (const [name, laid] of Object.entries(REPLACED)) {
  test(`a function's file that has become ${name} is not shown`, { timeout: 20_000 }, async (t) => {
    assert.equal(await (await open(t, laid)).code(), null);
  });
}

test("a function's file is shown as it is now, through a link within the project too", async (t) => {
  assert.equal(await (await open(t, {})).code(), CODE);
  const linked = await open(t, { "lib/a.ts": `${CODE}// later\n`, "functions/a.ts": { link: "lib/a.ts" } });
  assert.equal(await linked.code(), `${CODE}// later\n`);
});

const BESIDE: Readonly<Record<string, Laid>> = {
  "a link": { link: "../outside.json" },
  "a second name of a file of the data directory": { sameAs: ".datarun/secret.json" },
  "a pipe": { a: "pipe" },
  "larger than anybody writes": { mebibytes: 2 },
};

for (const [name, laid] of Object.entries(BESIDE)) {
  test(`cases in a file that is ${name} are refused, and none of it is repeated`, { timeout: 20_000 }, async (t) => {
    const { cases } = await open(t, { "functions/a.cases.json": laid });
    await assert.rejects(
      cases(),
      (error: Error) => /a\.cases\.json/.test(error.message) && !error.message.includes(SECRET),
    );
  });
}

test("cases in a file beside the function are read as they are now", async (t) => {
  const { cases } = await open(t, { "functions/a.cases.json": CASE });
  assert.deepEqual(
    (await cases()).map(({ name }) => name),
    ["plain"],
  );
});
