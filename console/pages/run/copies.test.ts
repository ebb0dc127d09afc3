import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { LANGUAGES } from "./copies.ts";

const body = {
  config: { context: "test", sources: { acme__people: true } },
  inputs: { name: `O'Hara "$(id)" \\ \u2028 \`x\` \${y}`, list: [1, null, {}], deep: { no: false }, none: [] },
};
const request = { workflow: "wfl_1", path: "/data", body } as const;

test("a copy sends exactly the body, whatever is in the fields", () => {
  // The shell and JavaScript evaluate the copied text, and show what it would send.
  const curl = LANGUAGES.curl(request).replace("curl -s", "printf '%s\\n'");
  const words = execFileSync("sh", ["-c", curl], { env: { DATARUN_URL: "http://x", DATARUN_TOKEN: "t" } }).toString();
  assert.ok(words.startsWith("http://x/data\n-H\nX-Service-Access-Token: t\n"), words);
  assert.deepEqual(JSON.parse(words.split("\n-d\n")[1]!), body);

  const typescript = LANGUAGES.TypeScript(request);
  const sent = /body: JSON\.stringify\(([\s\S]*?)\),\n\}\);/.exec(typescript)![1]!;
  assert.deepEqual(JSON.parse(sent), body);
  for (const copy of [LANGUAGES.curl(request), typescript, LANGUAGES.Python(request)])
    assert.ok(copy.includes("DATARUN_TOKEN") && copy.includes("wfl_1"));
});

test("Python has its own words for the values of JSON", () => {
  const python = LANGUAGES.Python({ ...request, body: { a: [true, false, null], b: {}, c: "x", d: 1.5 } });
  assert.match(
    python,
    /json=\{\n {8}"a": \[\n {12}True,\n {12}False,\n {12}None,\n {8}\],\n {8}"b": \{\},\n {8}"c": "x",\n {8}"d": 1\.5,\n {4}\},/,
  );
});
