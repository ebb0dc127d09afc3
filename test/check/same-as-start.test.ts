import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { sourceText, write } from "./fixtures.ts";
import { check, place, type Place, refusalOf, stopping } from "./place.ts";

const FUNCTION = `export default { id: "dfunc_own", title: "Own", run: async () => ({ output: {} }) };`;
const KEY = Buffer.alloc(32, 7).toString("base64");

/** One thing about a deployment, in every state that it may have: right, and wrong in several ways. */
const CONFIGS = [
  `export default {};`,
  `export default { limits: { runs: 5 }, catalog: ["iso__*"] };`,
  `export default { limits: { runs: 0 } };`,
  `export default { limits: 5 };`,
  `export default { prot: 8080 };`,
  `export default { catalog: "gleif__*" };`,
  `export default 5;`,
  `export default { region: }`,
  `import "./none.mjs"; export default {};`,
  `throw new Error("no");`,
];
const SOURCES = [
  sourceText("acme__a"),
  sourceText("iso__country"),
  sourceText("acme__a", `origins: ["https://a.example", "a.example"],`),
  sourceText("acme__a", `timeout_ms: -5,`),
  sourceText("acme__a", `inputs: { type: "nothing" },`),
  sourceText("nameless"),
  `export default {};`,
  `export const a = 1;`,
  `export default { id: "acme__a" `,
  `import "nowhere"; ${sourceText("acme__a")}`,
];
const YAMLS = [
  null,
  `id: acme__b\ntitle: B\n`,
  `id: acme__b\ntitle: B\nrequest:\n  methd: GET\n`,
  `id: [acme__b\n`,
  ``,
  `id: acme__a\ntitle: A\nrequest: {url: "https://a.example/x"}\n`,
];
const FUNCTIONS = [
  FUNCTION,
  FUNCTION.replace("dfunc_own", "own"),
  FUNCTION.replace("run:", "rnu:"),
  `${FUNCTION}\nimport "node:fs";`,
  `export default {`,
  `throw new Error("no");`,
];
const DISKS = ["none", "made", "a file", "in a file", "a store that is none", "a journal that is a file"] as const;
const KEYS = ["none", "given", "short", "open file", "both", "empty file"] as const;
const OPTIONS: readonly Readonly<Record<string, string>>[] = [
  {},
  { region: "eu", catalog: "none__*" },
  { "outbound-proxy": "http://127.0.0.1:3128" },
  { "outbound-proxy": "127.0.0.1" },
  { "outbound-private-origins": "https://a.example/path" },
  { "outbound-ca-file": "/nowhere" },
  { "limits-headers-timeout-ms": "60000" },
  { "overload-status": "404" },
  { host: "192.0.2.7" },
];

/** The first ones are right. */
function mostly<Value>(right: number, values: readonly Value[]): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...values.slice(0, right)) },
    { weight: 1, arbitrary: fc.constantFrom(...values.slice(right)) },
  );
}

const deployments = fc.record({
  config: mostly(2, CONFIGS),
  source: mostly(2, SOURCES),
  yaml: mostly(1, YAMLS),
  functions: mostly(1, FUNCTIONS),
  disk: mostly(2, DISKS),
  key: mostly(2, KEYS),
  options: mostly(3, OPTIONS),
});
type Deployment = typeof deployments extends fc.Arbitrary<infer Value> ? Value : never;

function make({ project, dataDir, options }: Place, it: Deployment) {
  write(project, {
    "datarun.config.mjs": it.config,
    "sources/a.mjs": it.source,
    ...(it.yaml === null ? {} : { "sources/b.yaml": it.yaml }),
    "functions/own.mjs": it.functions,
  });
  if (it.disk === "a file" || it.disk === "in a file") writeFileSync(dataDir, "");
  else if (it.disk !== "none") mkdirSync(dataDir);
  if (it.disk === "a store that is none") write(dataDir, { "store.sqlite": "x".repeat(2_000) });
  if (it.disk === "a journal that is a file") write(dataDir, { ledger: "" });
  const folder = it.disk === "in a file" ? join(dataDir, "data") : dataDir;
  const keyFile = join(project, "root-key");
  writeFileSync(keyFile, it.key === "empty file" ? "" : KEY);
  if (it.key === "open file" && (it.disk === "made" || it.disk === "a store that is none")) {
    write(dataDir, { "root-1.key": KEY });
    chmodSync(join(dataDir, "root-1.key"), 0o640);
  }
  const environment = {
    DATARUN_DATA_DIR: folder,
    ...(it.key === "given" || it.key === "both" ? { DATARUN_ROOT_KEY: KEY } : {}),
    ...(it.key === "short" ? { DATARUN_ROOT_KEY: "c2hvcnQ=" } : {}),
    ...(it.key === "both" || it.key === "empty file" ? { DATARUN_ROOT_KEY_FILE: keyFile } : {}),
  };
  return { ...options, environment, given: { ...options.given, ...it.options } };
}

test("what a start refuses, a check refuses in the same words, and nothing else", async (t) => {
  const seen = { started: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(deployments, async (deployment) => {
      const options = make(place(t), deployment);
      const found = stopping(await check(options));
      const refusal = await refusalOf(options);
      seen[refusal.length === 0 ? "started" : "refused"] += 1;
      // A start ends at the first thing that is wrong; a check goes on.
      for (const says of refusal) assert.ok(found.includes(says), `${says} is not in ${JSON.stringify(found)}`);
      assert.equal(found.length > 0, refusal.length > 0, JSON.stringify(found));
    }),
    { numRuns: 25 },
  );
  assert.ok(seen.started >= 1 && seen.refused >= 8, JSON.stringify(seen));
});
