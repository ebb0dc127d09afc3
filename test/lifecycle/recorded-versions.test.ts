import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertVersionsResolve, withVersions } from "../rig/recorded-versions.ts";
import type { LedgerRows } from "../rig/ledger-rows.ts";
import { deploy, type Deployment, type Process } from "../rig/deployed.ts";
import { project } from "../start/project-folder.ts";

const DECIDES = (decision: string) =>
  `import { LIMIT } from "./_limit.ts";
export default { id: "dfunc_v", title: "Decides", run: async ({ run }) => {
  await run("acme__facts");
  return { output: { decision: "${decision}", LIMIT } };
} };`;
const LIMIT = (limit: number) => `export const LIMIT = ${limit};`;
const FACTS = (name: string) => `
id: acme__facts
title: Facts
origins: [http://127.0.0.1:1]
inputs: { type: object, properties: { ${name}: { type: string } } }
request: { url: http://127.0.0.1:1/facts }
match: { record: body.found, no_record: status == \`404\` }
map: { found: body.found }
output: { type: object, properties: { found: {} } }
`;

async function stop(service: Process): Promise<void> {
  service.signal("SIGTERM");
  assert.equal((await service.ended).code, 0);
}

async function exported(deployment: Deployment, ...filter: string[]) {
  const file = join(deployment.dataDir, "export.jsonl");
  await deployment.verb("ledger", "export", file, "--format", "jsonl", ...filter);
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  rmSync(file);
  return lines.map((line) => JSON.parse(line) as { run: LedgerRows["run"]; calls: LedgerRows["calls"] });
}

test("two answers of one function by different code name two versions, whose stored code is what decided", async (t) => {
  const files = {
    "functions/v.ts": DECIDES("APPROVE"),
    "functions/_limit.ts": LIMIT(1),
    "sources/facts.yaml": FACTS("a"),
  };
  const folder = project(t, files);
  const deployment = await deploy(t, { project: folder, env: { DATARUN_DEPLOYED_BY: "ada" } });
  const ask = async () => {
    const service = await deployment.start();
    const { outputs } = (await service.post("/func", { config: { data_func: "dfunc_v" }, inputs: {} })).json();
    await stop(service);
    return outputs.dfunc_v.output;
  };
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);

  assert.deepEqual(await ask(), { decision: "APPROVE", LIMIT: 1 });
  write("functions/v.ts", DECIDES("DECLINE"));
  assert.deepEqual(await ask(), { decision: "DECLINE", LIMIT: 1 });
  write("functions/_limit.ts", LIMIT(2));
  write("sources/facts.yaml", FACTS("b"));
  assert.deepEqual(await ask(), { decision: "DECLINE", LIMIT: 2 });
  // Comments and formatting are no change of a YAML source, and an earlier version is no new one.
  write("sources/facts.yaml", `# Facts of Acme\n${FACTS("b")}\n`);
  write("functions/v.ts", DECIDES("APPROVE"));
  write("functions/_limit.ts", LIMIT(1));
  assert.deepEqual(await ask(), { decision: "APPROVE", LIMIT: 1 });

  const runs = await exported(deployment);
  const versions = runs.map(({ run }) => run["function_version"] as string);
  assert.deepEqual(versions, [versions[0], versions[1], versions[2], versions[0]]);
  assert.equal(new Set(versions).size, 3);
  const sources = runs.map(({ calls }) => calls[0]!["source_version"] as string);
  assert.deepEqual(sources, [sources[0], sources[0], sources[2], sources[2]]);
  assert.notEqual(sources[0], sources[2]);
  for (const { run } of runs) assert.match(String(run["build"]), /./);

  await assertVersionsResolve(deployment, runs);
  await withVersions(deployment, async ({ all, contentOf, sourceOf }) => {
    assert.match(await contentOf("function", "dfunc_v", versions[0]), /APPROVE/);
    assert.match(await contentOf("function", "dfunc_v", versions[1]), /DECLINE/);
    assert.deepEqual(await sourceOf("function", "dfunc_v", versions[1]!), {
      "functions/_limit.ts": LIMIT(1),
      "functions/v.ts": DECIDES("DECLINE"),
    });
    assert.deepEqual(await sourceOf("source", "acme__facts", sources[2]!), { "sources/facts.yaml": FACTS("b") });
    const listed = await all("function", "dfunc_v");
    assert.deepEqual(
      listed.map(({ number, digest, origin, deployedBy }) => [number, digest, origin, deployedBy]),
      [
        [3, versions[2], "project", "ada"],
        [2, versions[1], "project", "ada"],
        [1, versions[0], "project", "ada"],
      ],
    );
  });

  const { entries } = await deployment.verb("audit", "list", "--what", "function.change");
  assert.deepEqual(
    entries.map((entry: Record<string, unknown>) => [entry["who"], entry["subject"], entry["detail"]]),
    [
      ["service", "dfunc_v", { number: 3, digest: versions[2], previous: versions[1], deployed_by: "ada" }],
      ["service", "dfunc_v", { number: 2, digest: versions[1], previous: versions[0], deployed_by: "ada" }],
    ],
  );

  const idsOf = async (...filter: string[]) =>
    (await exported(deployment, ...filter)).map(({ run }) => run["transaction_id"]);
  const ids = runs.map(({ run }) => run["transaction_id"]);
  assert.deepEqual(await idsOf("--function-version", versions[0]!), [ids[0], ids[3]]);
  assert.deepEqual(await idsOf("--function", "dfunc_v", "--function-version", "2"), [ids[1]]);
  assert.deepEqual(await idsOf("--source", "acme__facts", "--source-version", sources[2]!.slice(0, 6)), ids.slice(2));
  assert.deepEqual(await idsOf("--build", "another"), []);
  const page = await deployment.verb("ledger", "list", "--function", "dfunc_v", "--function-version", "1");
  assert.deepEqual(
    page.runs.map((run: Record<string, unknown>) => [run["transaction_id"], run["function_version_number"]]),
    [
      [ids[3], 1],
      [ids[0], 1],
    ],
  );
  const shown = await deployment.verb("ledger", "show", String(ids[2]));
  assert.ok(shown.timeline.includes(`version   3 (${versions[2]!.slice(0, 6)})`), shown.timeline);
  assert.ok(shown.timeline.includes(`version 2 (${sources[2]!.slice(0, 6)})`), shown.timeline);
});

test("a version is registered before its first run, however a start ends", async (t) => {
  const folder = project(t, {
    "functions/v.ts": DECIDES("0"),
    "functions/_limit.ts": LIMIT(1),
    "sources/facts.yaml": FACTS("a"),
  });
  const deployment = await deploy(t, { project: folder });
  for (let round = 1; round <= 4; round += 1) {
    writeFileSync(join(folder, "functions/v.ts"), DECIDES(String(round)));
    const killed = await deployment.start({ listening: round % 2 === 0 });
    if (round % 2 === 1) await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_000));
    killed.signal("SIGKILL");
    await killed.ended;
  }
  const service = await deployment.start();
  const { outputs } = (await service.post("/func", { config: { data_func: "dfunc_v" }, inputs: {} })).json();
  assert.equal(outputs.dfunc_v.output.decision, "4");
  await stop(service);
  const ledger = deployment.ledger();
  await assertVersionsResolve(deployment, ledger);
  await withVersions(deployment, async ({ all, contentOf }) => {
    const versions = await all("function", "dfunc_v");
    assert.deepEqual(
      versions.map(({ number }) => number),
      versions.map((_, at) => versions.length - at),
    );
    assert.equal(versions[0]!.digest, ledger[0]!.run["function_version"]);
    for (const { digest } of versions) await contentOf("function", "dfunc_v", digest);
  });
});
