import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";
import { runInThisContext } from "node:vm";
import { type ClientRequest, LANGUAGES } from "./copies.ts";

const inputs = { name: `O'Hara "$(id)" \\ \u2028 \`x\` \${y}`, list: [1, null, {}], deep: { no: false }, none: [] };
const people = { source: "acme__people", input_names: Object.keys(inputs) };
const request: ClientRequest = { workflow: "wfl_1", context: "test", inputs, asks: [people] };
const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** What the copied program hands to the generated client. */
async function runTypeScript(request: ClientRequest): Promise<unknown> {
  const text = LANGUAGES.TypeScript(request).replace(/^import .*$/m, "");
  const run = runInThisContext(`(async (client, process, console) => {${text}\n})`) as (
    ...given: readonly unknown[]
  ) => Promise<void>;
  const sent: unknown[] = [];
  const take = async (...given: unknown[]) => (sent.push(...given), {});
  await run(
    ({ workflow }: object & { workflow: string }) => (sent.push(workflow), { data: take, func: take }),
    {
      env: { DATARUN_WORKFLOW: "wfl_of_a_variable" },
    },
    { log() {} },
  );
  return sent;
}

function runPython(request: ClientRequest): unknown {
  const text = LANGUAGES.Python(request).replace(/^from datarun_client import \([^)]*\)$/m, "");
  const stub = `
import json, sys
class Client:
    def __init__(self, url, token, workflow): print(json.dumps(workflow))
    def data(self, *asked, **more): print(json.dumps([asked, more])); return self
    func = data
    results = result = "done"
def asks(name): return lambda inputs: [name, inputs]
acme__people, acme__other, dfunc_x = asks("acme__people"), asks("acme__other"), asks("dfunc_x")
`;
  const env = { DATARUN_URL: "u", DATARUN_TOKEN: "t", DATARUN_WORKFLOW: "wfl_of_a_variable" };
  const printed = execFileSync("python3", ["-c", stub + text], { env: { PATH: process.env["PATH"], ...env } });
  return String(printed)
    .trim()
    .split("\n")
    .slice(0, 2)
    .map((line) => JSON.parse(line) as unknown);
}

test("a copy sends exactly the inputs, whatever is in the fields", async () => {
  // The shell, JavaScript and Python evaluate the copied text, and show what it would send.
  const curl = LANGUAGES.curl(request).replace("curl -s", "printf '%s\\n'");
  const words = execFileSync("sh", ["-c", curl], { env: { DATARUN_URL: "http://x", DATARUN_TOKEN: "t" } }).toString();
  assert.ok(words.startsWith("http://x/data\n-H\nX-Service-Access-Token: t\n"), words);
  const body = { config: { context: "test", sources: { acme__people: true } }, inputs };
  assert.deepEqual(JSON.parse(words.split("\n-d\n")[1]!), body);

  assert.deepEqual(await runTypeScript(request), [
    "wfl_1",
    { sources: { acme__people: true }, inputs, context: "test" },
  ]);
  if (hasPython) assert.deepEqual(runPython(request), ["wfl_1", [[["acme__people", inputs]], { context: "test" }]]);
});

test("in Python each source gets the inputs that it declares, and what none declares goes along", async () => {
  const other = { source: "acme__other", input_names: ["age"] };
  const several = { inputs: { name: "Ada", age: 36, simulate: { acme__other: "timeout" } }, asks: [people, other] };
  const sources = { acme__people: true, acme__other: true };
  assert.deepEqual(await runTypeScript(several), ["wfl_of_a_variable", { sources, inputs: several.inputs }]);
  if (!hasPython) return;
  const calls = [
    ["acme__people", { name: "Ada", simulate: { acme__other: "timeout" } }],
    ["acme__other", { age: 36 }],
  ];
  assert.deepEqual(runPython(several), ["wfl_of_a_variable", [calls, {}]]);
});

test("a function is called with all inputs, and every copy says how its client is generated", async () => {
  const run: ClientRequest = {
    context: "dev",
    inputs: { a: [true, false, null, 1.5] },
    asks: { functionId: "dfunc_x" },
  };
  assert.deepEqual(await runTypeScript(run), ["wfl_of_a_variable", "dfunc_x", run.inputs, { context: "dev" }]);
  if (hasPython)
    assert.deepEqual(runPython(run), ["wfl_of_a_variable", [[["dfunc_x", run.inputs]], { context: "dev" }]]);
  const [typescript, python] = [LANGUAGES.TypeScript(run), LANGUAGES.Python(run)];
  assert.ok(typescript.startsWith("// datarun client generate --lang ts --out datarun-client --function dfunc_x\n"));
  assert.ok(python.startsWith("# datarun client generate --lang python --out datarun_client --function dfunc_x\n"));
  assert.match(LANGUAGES.curl(run), /\$DATARUN_URL\/func[^]*"X-Service-Workflow: \$DATARUN_WORKFLOW"/);
});
