import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { project } from "../start/project-folder.ts";
import { deploy } from "../rig/deployed.ts";
import { until } from "../rig/until.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { batchShell } from "./batch-command.ts";

const source = (name: string, origin: string, more: string) =>
  `export default { id: "acme__${name}", title: "T", origins: ["${origin}"], ${more},
    run: ({ http, inputs }) => http.get("${origin}/${name}", { query: inputs }) };`;
const PRICED = `charge: { model: "per_call", amount: 0.5, currency: "EUR" }`;
const INPUTS = `inputs: { type: "object", required: ["id"], properties: { id: { type: "integer", minimum: 1 }, since_date: { type: "string" } } }`;

/** How long the vendor takes with each answer. */
let delayMs = 0;
// One deployment and one service for all of them: a start takes longer than most batches.
const vendor = await startVendor({ after }, { otherwise: (...call) => later(delayMs, json({ ok: true }))(...call) });
const folder = project(
  { after },
  {
    "sources/priced.mjs": source("priced", vendor.origin, `${INPUTS}, ${PRICED}`),
    "sources/free.mjs": source("free", vendor.origin, `${INPUTS}, charge: "free"`),
    "sources/unpriced.mjs": source("unpriced", vendor.origin, INPUTS),
    "sources/limited.mjs": source(
      "limited",
      vendor.origin,
      `${INPUTS}, charge: "free", limits: { rate: [{ per: "source", max: 10, every_ms: 1000 }] }`,
    ),
  },
);
const deployment = await deploy({ after } as Parameters<typeof deploy>[0], { project: folder });
const service = await deployment.start();

/** A folder for the batches of a test, and the number of requests that the vendor has got since the test began. */
function batches(t: TestContext, answersAfterMs = 0, url = service.url) {
  delayMs = answersAfterMs;
  const before = vendor.count();
  return { shell: batchShell(t, deployment, folder, url), asked: () => vendor.count() - before };
}

const range = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const csv = (ids: readonly (string | number)[]) =>
  `Id;Since Date;Other\n${ids.map((id) => `${id};2026;x`).join("\n")}\n`;

test("a dry run counts valid rows, says the first reasons and the cost at most, and sends nothing", async (t) => {
  const { shell, asked } = batches(t);
  shell.write("in.csv", csv([1, 2, "x", 0, ...range(6)]));
  const args = ["in.csv", "--sources", "acme__priced,acme__limited", "--dry-run"];
  const { code, stdout, stderr } = await shell.run([...args, "--json"]);
  assert.equal(code, 3, stderr);
  assert.match(stderr, /^Inputs: id from Id, since_date from Since Date\.\nColumns that are not sent: Other\.\n/);
  const result = JSON.parse(stdout) as {
    targets: { valid: number; invalid: number; reasons: { row: number; problem: string }[] }[];
    at_most: string[];
    least_duration_ms: number;
  };
  assert.deepEqual([result.targets[0]!.valid, result.targets[0]!.invalid], [8, 2]);
  assert.deepEqual(
    result.targets[0]!.reasons.map(({ row }) => row),
    [3, 4],
  );
  assert.deepEqual(result.at_most, ["4.00 EUR"]);
  assert.equal(result.least_duration_ms, 800);
  assert.equal(asked(), 0);
  const shown = await shell.run(args);
  assert.match(shown.stdout, /acme__priced: 8 valid, 2 invalid\n {2}row 3: id must be an integer/);
});

test("what is wrong with a command, a file or a mapping is said in words, and nothing is asked", async (t) => {
  const { shell, asked } = batches(t, 0, "http://127.0.0.1:1");
  shell.write("in.csv", csv([1]));
  shell.write("twice.csv", "id,ID_\n1,2\n");
  shell.write("empty.csv", "id\n");
  const out = ["--out", "out.jsonl"];
  const priced = ["--sources", "acme__priced"];
  for (const [args, code, says, env] of [
    [["in.csv", ...out], 2, /Give either --sources or --func/],
    [["in.csv", ...priced], 2, /Give --out/],
    [["in.csv", ...priced, ...out], 2, /DATARUN_TOKEN/, { DATARUN_TOKEN: "" }],
    [["in.csv", ...priced, ...out], 2, /--workflow/, { DATARUN_WORKFLOW: "" }],
    [["in.csv", ...priced, ...out, "--url", "ftp://x"], 2, /--url must be the address of a public port/],
    [["none.csv", ...priced, ...out], 1, /there is no such file/],
    [["empty.csv", ...priced, ...out], 1, /has no rows/],
    [["in.csv", ...priced, ...out, "--map", "id=Ip"], 2, /no column Ip\. Did you mean Id\?/],
    [["in.csv", ...priced, ...out, "--map", "id"], 2, /--map takes the name of an input/],
    [["in.csv", ...priced, ...out, "--const", "id=1", "--map", "id=Id"], 2, /--map and --const both name the input id/],
    [["in.csv", "--sources", "acme__fre", ...out], 2, /no source "acme__fre"\. Did you mean acme__free.* give --map/],
    [["in.csv", ...priced, "--out", "out.xlsx"], 2, /must end in \.jsonl, \.csv or \.parquet/],
    [["in.csv", ...priced, ...out, "--max-cost", "50"], 2, /--max-cost takes an amount and a currency/],
    [["in.csv", "--sources", "acme__unpriced", ...out, "--max-cost", "5EUR"], 1, /acme__unpriced has no known price/],
    [["in.csv", ...priced, ...out, "--max-cost", "5EUR", "--workflow", "wfl_other"], 1, /needs the admin API/],
  ] as const) {
    const ended = await shell.run(args as readonly string[], { env: env ?? {} });
    assert.equal(ended.code, code, `${args.join(" ")}: ${ended.stderr}`);
    assert.match(ended.stderr, says);
    assert.equal(ended.stdout, "");
  }
  assert.equal(asked(), 0);
});

test("a batch is not continued with another file or another question, and only by one process at a time", async (t) => {
  const { shell } = batches(t, 30);
  shell.write("in.csv", csv(range(400)));
  shell.write("other.csv", csv(range(401)));
  const args = ["--sources", "acme__free", "--out", "out.jsonl", "--concurrency", "4"];
  const first = shell.start(["in.csv", ...args]);
  await until(() => existsSync(shell.path("out.jsonl")));
  const second = await shell.run(["in.csv", ...args]);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /another process works on it/);
  first.signal("SIGKILL");
  await first.ended;
  for (const [given, says] of [
    [["other.csv", ...args], /another input file/],
    [["in.csv", ...args, "--const", "since_date=2020"], /another mapping of columns/],
    [["in.csv", ...args, "--keep", "Other"], /another --keep/],
  ] as const) {
    const ended = await shell.run(given);
    assert.equal(ended.code, 1, ended.stderr);
    assert.match(ended.stderr, says);
  }
});

test("a batch that the service refuses has asked nothing, and its output can be used by another command", async (t) => {
  const { shell, asked } = batches(t);
  shell.write("in.csv", csv([1, "x", 2]));
  const args = ["in.csv", "--sources", "acme__free", "--out", "out.csv"];
  const refused = await shell.run([...args, "--workflow", "wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f"]);
  assert.equal(refused.code, 1, refused.stdout);
  assert.match(refused.stdout, /2 not asked\n {2}1 rejected\n.*The service refuses every request/s);
  const corrected = await shell.run([...args, "--const", "since_date=2026"]);
  assert.equal(corrected.code, 3, corrected.stderr);
  assert.match(corrected.stdout, /^2 of 3 rows answered: out\.csv\n {2}1 rejected\n/);
  assert.equal(asked(), 2);
  assert.equal(readFileSync(shell.path("out.csv.failed"), "utf8").trimEnd().split("\n").length, 1);
  const other = await shell.run([...args, "--const", "since_date=2027"]);
  assert.equal(other.code, 1);
  assert.match(other.stderr, /out\.csv is of a batch with another --const/);
});

test("Ctrl-C finishes what is in progress, and the same command asks the rest", async (t) => {
  const { shell, asked } = batches(t, 20);
  shell.write("in.csv", csv(range(300)));
  const args = ["in.csv", "--sources", "acme__free", "--out", "out.csv"];
  const first = shell.start(args);
  await until(() => asked() > 20);
  first.signal("SIGINT");
  const ended = await first.ended;
  assert.equal(ended.code, 3, ended.stderr);
  assert.match(ended.stderr, /Interrupted\. \d+ requests in progress are finished/);
  assert.match(ended.stdout, /^\d+ of 300 rows answered: out\.csv\n {2}\d+ not asked\n/);
  const answered = Number(/^\d+/.exec(ended.stdout)![0]);
  assert.equal(answered, asked());
  assert.equal(readFileSync(shell.path("out.csv"), "utf8").trim().split("\r\n").length, answered + 1);
  const rest = await shell.run(args);
  assert.equal(rest.code, 0, rest.stderr);
  assert.equal(asked(), 300);
  const lines = readFileSync(shell.path("out.csv"), "utf8").trim().split("\r\n");
  assert.equal(lines.length, 301);
  assert.match(
    lines[0]!,
    /^row,ref,asked_at,took_ms,http_status,transaction_id,input\.id,input\.since_date,acme__free\.success,/,
  );
});

test("rows that nothing accepts are rejected without a request, with reasons; standard input is a file like any other", async (t) => {
  const { shell, asked } = batches(t);
  const stdin = '{"id":1}\n{"id":"=x"}\nnot json\n{"id":2,"name":"=cmd"}\n';
  const args = ["-", "--sources", "acme__free", "--keep", "name", "--out", "out.csv", "--json"];
  const ended = await shell.run(args, { stdin });
  assert.equal(ended.code, 3, ended.stderr);
  const result = JSON.parse(ended.stdout) as { answered: number; rejected: number };
  assert.deepEqual([result.answered, result.rejected, asked()], [2, 2, 2]);
  const failed = readFileSync(shell.path("out.csv.failed"), "utf8").trim().split("\n");
  assert.deepEqual(
    failed.map((line) => (JSON.parse(line) as { row: number }).row),
    [2, 3],
  );
  assert.match(failed[0]!, /acme__free: id must be an integer/);
  assert.match(failed[1]!, /the line is not JSON/);
  assert.ok(readFileSync(shell.path("out.csv"), "utf8").includes(",'=cmd,"), "a formula would run in a spreadsheet");
  const again = await shell.run(args, { stdin });
  assert.equal(again.code, 3, again.stderr);
  assert.equal(asked(), 2);
});

test("a sample projects matches and cost, and the full run does not ask its rows again", async (t) => {
  const { shell, asked } = batches(t);
  shell.write("in.csv", csv(range(100)));
  const args = ["in.csv", "--sources", "acme__priced", "--out", "out.jsonl", "--json"];
  const sample = await shell.run([...args, "--sample", "10"]);
  assert.equal(sample.code, 0, sample.stderr);
  const { projection, left } = JSON.parse(sample.stdout) as {
    left: number;
    projection: { cost: string[]; cost_low: string[]; targets: { match_rate: { share: number; low: number } }[] };
  };
  assert.equal(left, 90);
  assert.deepEqual(projection.cost, ["50.00 EUR"]);
  assert.deepEqual(projection.cost_low, ["36.00 EUR"]);
  assert.equal(projection.targets[0]!.match_rate.share, 1);
  assert.equal(asked(), 10);
  assert.deepEqual(
    shell.records("out.jsonl").map(({ row }) => row),
    [6, 16, 26, 36, 46, 56, 66, 76, 86, 96],
  );
  const full = await shell.run(args);
  assert.equal(full.code, 0, full.stderr);
  assert.equal(asked(), 100);
});

test("a budget limits the batch and is removed, also after a kill and after Ctrl-C", async (t) => {
  const { shell, asked } = batches(t, 100);
  shell.write("in.csv", csv(range(200)));
  const own = ["--org", deployment.access.id, "--workflow", deployment.access.workflow];
  const mine = await deployment.verb(
    "budget",
    "set",
    ...own,
    "--source",
    "acme__priced",
    "--per",
    "month",
    "--amount",
    "500",
    "--currency",
    "EUR",
  );
  const budgets = async () =>
    (await deployment.verb("budget", "list", "--org", deployment.access.id)).budgets as {
      budget: string;
      limit: string;
    }[];
  const args = ["in.csv", "--sources", "acme__priced", "--out", "out.jsonl"];
  const first = shell.start([...args, "--max-cost", "20EUR"]);
  await until(() => asked() > 10);
  first.signal("SIGKILL");
  await first.ended;
  assert.deepEqual((await budgets()).map(({ limit }) => limit).sort(), ["20.00 EUR", "500.00 EUR"]);
  const second = await shell.run([...args, "--max-cost", "20EUR"]);
  assert.equal(second.code, 3, second.stderr);
  assert.match(second.stdout, /It ended early\. A budget is used up/);
  assert.equal(asked(), 40);
  assert.deepEqual(
    (await budgets()).map(({ budget }) => budget),
    [mine.budget],
  );
  const more = await shell.run([...args, "--max-cost", "20EUR"]);
  assert.equal(more.code, 1, more.stderr);
  assert.match(more.stderr, /20\.00 EUR of --max-cost were used/);
  const third = shell.start([...args, "--max-cost", "30EUR"]);
  await until(() => asked() > 45);
  third.signal("SIGINT");
  assert.equal((await third.ended).code, 3);
  assert.equal((await budgets()).length, 1);
  const rest = await shell.run(args);
  assert.ok(rest.code === 0 || rest.code === 3, rest.stderr);
  const lost = existsSync(shell.path("out.jsonl.failed")) ? shell.records("out.jsonl.failed").length : 0;
  assert.equal(shell.records("out.jsonl").length + lost, 200);
  assert.equal(asked(), 200);
});

test("a source is not asked faster than it declares, and rows whose sources were not called are asked again", async (t) => {
  const { shell, asked } = batches(t);
  shell.write(
    "in.jsonl",
    range(25)
      .map((id) => `{"id":${id}}\n`)
      .join(""),
  );
  const { code, stdout, stderr } = await shell.run(["in.jsonl", "--sources", "acme__limited", "--out", "out.parquet"]);
  assert.equal(code, 0, stderr);
  assert.equal(asked(), 25);
  assert.match(stdout, /25 found, 0 not found, 0 failed/);
  assert.equal(readFileSync(shell.path("out.parquet")).subarray(0, 4).toString(), "PAR1");
});

test("without the verbs of an operator a batch runs, and says what it does not know", async (t) => {
  const { shell, asked } = batches(t, 20);
  shell.write("in.csv", csv(range(60)));
  const env = { DATARUN_DATA_DIR: join(shell.folder, "nothing") };
  const args = ["in.csv", "--sources", "acme__free", "--out", "out.jsonl"];
  const first = shell.start(args, { env });
  await until(() => asked() > 10);
  first.signal("SIGKILL");
  await first.ended;
  const second = await shell.run(args, { env });
  assert.match(second.stderr, /are unknown: they could not be looked up on the ledger/);
  assert.equal(second.code, 3);
  const failed = shell.records("out.jsonl.failed");
  assert.ok(failed.length > 0 && failed.every(({ ref }) => ref !== undefined));
  assert.equal(shell.records("out.jsonl").length + failed.length, 60);
});

test("a service that cannot be reached is reported while it is tried again", async (t) => {
  const { shell, asked } = batches(t, 0, "http://127.0.0.1:1");
  shell.write("in.csv", csv([1]));
  const started = shell.start(["in.csv", "--sources", "acme__free", "--out", "out.jsonl"]);
  const told = /^Nothing is run now, and it is tried again .*: the service cannot be reached \(ECONNREFUSED\)$/m;
  await until(() => told.test(started.stderr()));
  started.signal("SIGINT");
  assert.equal((await started.ended).code, 1);
  assert.equal(asked(), 0);
});
