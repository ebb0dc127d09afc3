import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { startService } from "../rig/service.ts";
import { answers, API_KEY, throws } from "../rig/sources.ts";
import { command } from "../start/operator-verb.ts";
import { CallersFolder } from "./generated-clients.ts";

/*
 * A client that a stranger's generator makes from `openapi.json` must be able to say everything that the service
 * understands, and must refuse what it would not understand.
 */

const OPENAPI = fileURLToPath(new URL("../../openapi.json", import.meta.url));
const callers = new CallersFolder("callers");
after(() => callers[Symbol.dispose]());

// The contract of a deployment with every source of the catalog, from which a client knows what each returns.
const DEPLOYMENT = join(callers.folder, "deployment.json");
const printed = command({ DATARUN_CATALOG: "*", DATARUN_DATA_DIR: join(callers.folder, "none") }, "openapi");
assert.equal(printed.code, 0, printed.stderr);
writeFileSync(DEPLOYMENT, printed.stdout);

const made = await Promise.all([
  callers.run("openapi-typescript", [DEPLOYMENT, "--output", "deployed.d.ts"]),
  callers.run("openapi-ts", ["--input", DEPLOYMENT, "--output", "generated-deployment", "--silent", "--no-log-file"]),
  callers.run("openapi-typescript", [OPENAPI, "--output", "datarun.d.ts"]),
  callers.run("openapi-ts", ["--input", OPENAPI, "--output", "generated", "--silent", "--no-log-file"]),
]);
for (const { code, printed } of made) assert.equal(code, 0, printed);
const refusals = await callers.compile();

test("inputs, credentials, outputs, statuses and failures compile under --strict, by either generator", () => {
  assert.deepEqual(
    refusals.filter(({ file }) => !file.startsWith("misspelt-")),
    [],
  );
});

for (const generator of ["openapi-fetch", "hey-api"]) {
  test(`${generator}: a misspelt field does not compile, and the compiler names it`, () => {
    const file = `misspelt-${generator}.ts`;
    const lines = readFileSync(join(callers.folder, file), "utf8").split("\n");
    const expected = lines.flatMap((text, at) => {
      const [, reason] = /^\/\/ refused: (.*)$/.exec(text) ?? [];
      return reason === undefined ? [] : [{ line: at + 2, reason }];
    });
    assert.ok(expected.length >= 6);
    const found = refusals.filter((one) => one.file === file);
    assert.deepEqual(
      found.map(({ line }) => line),
      expected.map(({ line }) => line),
    );
    for (const [at, { reason }] of expected.entries()) assert.ok(found[at]!.says.includes(reason), found[at]!.says);
  });
}

test("the contract of a deployment passes the linter without a remark", () => {
  const linter = fileURLToPath(new URL("../../node_modules/.bin/redocly", import.meta.url));
  const { stdout, stderr } = spawnSync(linter, ["lint", DEPLOYMENT, "--format=json"], {
    env: { ...process.env, REDOCLY_TELEMETRY: "off" },
  });
  const { problems } = JSON.parse(String(stdout)) as { readonly problems: readonly object[] };
  assert.deepEqual(problems, [], String(stderr));
});

/** A folder with one function, which gives back what came beside its inputs. */
function projectWithEcho(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-callers-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "functions"));
  writeFileSync(
    join(folder, "functions/echo.ts"),
    `import { defineFunction } from "datarun";
export default defineFunction({ id: "dfunc_echo", title: "Echo", run: ({ extra }) => ({ output: extra, echoed: true }) });
`,
  );
  return folder;
}

test("openapi-fetch: a generated client really gets its answers from the service", async (t) => {
  const service = await startService(t, {
    sources: [
      answers("acme__phone", { e164: "+442079460958" }),
      { ...throws("bell__report", new Error("broken")), credentials: API_KEY },
    ],
    project: projectWithEcho(t),
  });
  service.secrets.add("key-of-bell");
  // Four of its requests are runs; this process does not see the answers.
  for (let runs = 0; runs < 4; runs += 1) service.expectRunWithoutAnswer();
  const caller = join(callers.folder, "openapi-fetch.ts");
  const { ask } = (await import(caller)) as { ask(url: string, token: string, workflow: string): Promise<object> };

  const { build, ...seen } = (await ask(service.url, service.a.token, service.a.workflow)) as { build: string };

  assert.deepEqual(seen, {
    phone: "+442079460958",
    failure: "adapter",
    functionFailure: "unknown_function",
    retryable: false,
    charged: "no",
    functionOutput: 7,
    ownField: true,
    refused: "no_sources",
  });
  assert.match(build, /\S/);
});
