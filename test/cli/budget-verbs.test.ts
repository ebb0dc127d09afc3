import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { terminal } from "./terminal.ts";

async function prepared(t: TestContext) {
  const shell = terminal(t);
  const org = async (name: string) =>
    (await shell.json<{ organization_tuid: string }>(["org", "create", name])).organization_tuid;
  const [own, other] = [await org("Acme"), await org("Bell")];
  const made = <Name extends string>(words: string) => shell.json<Record<Name, string>>(words.split(" "));
  const workflow = (await made<"workflow">(`workflow create --org ${own}`)).workflow;
  const strange = (await made<"workflow">(`workflow create --org ${other}`)).workflow;
  const credential = (
    await made<"cred_id">(`credential create --org ${own} --source acme__people --set api_key=abcd1234`)
  ).cred_id;
  const words = (line: string) =>
    line
      .replace("ORG", own)
      .replace("OTHER", other)
      .replace("WFL", workflow)
      .replace("STRANGE", strange)
      .replace("CRED", credential)
      .split(" ");
  return {
    run: (line: string) => shell.run(words(line)),
    json: <Result>(line: string) => shell.json<Result>(words(line)),
    own,
    workflow,
    credential,
  };
}

test("a budget is set for what it names, listed with its use, changed, and removed", async (t) => {
  const { json, run, own, workflow, credential } = await prepared(t);
  assert.equal((await run("budget list")).stdout, "There are no budgets.\n");
  const line = "budget set --org ORG --workflow WFL --source acme__people --credential CRED --per month";
  const first = await json<Record<string, unknown>>(`${line} --amount 500 --currency EUR`);
  assert.deepEqual(
    { ...first, budget: "", counts_from: "" },
    {
      budget: "",
      organization_tuid: own,
      workflow,
      source: "acme__people",
      cred_id: credential,
      per: "month",
      time_zone: "UTC",
      limit: "500.00 EUR",
      warn_percent: 80,
      counts_from: "",
      spent_before: null,
    },
  );
  const again = await run(`${line} --amount 600.5 --currency EUR --warn 90`);
  assert.match(again.stderr, /Its limit was 500\.00 EUR\. Its use still counts\./);
  const calls = await json<{ budget: string }>("budget set --org ORG --per day --calls 10000");
  assert.notEqual(calls.budget, first["budget"]);
  const { budgets } = await json<{ budgets: { budget: string; limit: string; used: string; left: string }[] }>(
    "budget list --org ORG",
  );
  assert.deepEqual(
    budgets.map(({ budget, limit, used, left }) => [budget, limit, used, left]),
    [
      [first["budget"], "600.50 EUR", "0.00 EUR", "600.50 EUR"],
      [calls.budget, "10000 requests", "0 requests", "10000 requests"],
    ],
  );
  const shown = await json<Record<string, unknown>>(`budget show ${calls.budget}`);
  assert.deepEqual([shown["used"], shown["leased"], shown["nearly_used"]], ["0 requests", "0 requests", false]);
  assert.equal(shown["silent"], "0 requests");
  assert.match((await run(`budget recount ${calls.budget}`)).stderr, /There is no ledger/);
  assert.equal((await run(`budget remove ${calls.budget}`)).code, 0);
  assert.match((await run(`budget remove ${calls.budget}`)).stderr, /There is no budget bud_/);
  assert.match((await run(`budget show ${calls.budget}`)).stderr, /There is no budget bud_/);
  const { entries } = await json<{ entries: { what: string }[] }>("audit list --org ORG --limit 4");
  assert.deepEqual(
    entries.map(({ what }) => what),
    ["budget remove", "budget set", "budget set", "budget set"],
  );
});

test("a budget in another time zone is set beside the one that is there, and this is said", async (t) => {
  const { json, run } = await prepared(t);
  const line = "budget set --org ORG --per month --amount 5 --currency EUR";
  const berlin = await json<{ budget: string; time_zone: string }>(`${line} --time-zone europe/berlin`);
  assert.equal(berlin.time_zone, "Europe/Berlin");
  const again = await json<{ budget: string; time_zone: string }>(line.replace("5", "6"));
  assert.deepEqual([again.budget, again.time_zone], [berlin.budget, "Europe/Berlin"], "it is the one that is there");
  const utc = await run(`${line} --time-zone UTC`);
  assert.match(
    utc.stderr,
    new RegExp(`budget ${berlin.budget} .*6\\.00 EUR a month \\(Europe/Berlin\\), and still limits`),
  );
  assert.match((await run("budget list")).stdout, /PER +TIME ZONE/);
});

test("what is no budget is refused, and the message says why", async (t) => {
  const { run, json } = await prepared(t);
  const money = "--amount 5 --currency EUR";
  for (const [words, says] of [
    [`set --org ORG --per day --amount 5`, /--amount goes with --currency/],
    [`set --org ORG --per day --currency EUR`, /Give --amount with --currency, or --calls/],
    [`set --org ORG --per day`, /Give --amount with --currency, or --calls/],
    [`set --org ORG --per day ${money} --calls 5`, /not both/],
    [`set --org ORG --per day --calls 5 --currency EUR`, /--currency goes with --amount/],
    [`set --org ORG --per day --amount 0 --currency EUR`, /more than 0/],
    [`set --org ORG --per day --amount -5 --currency EUR`, /--amount/],
    [`set --org ORG --per day --amount 0.1234567 --currency EUR`, /six decimals/],
    [`set --org ORG --per day --amount 5,50 --currency EUR`, /--amount must be an amount/],
    [`set --org ORG --per day --amount 9999999999 --currency EUR`, /too large/],
    [`set --org ORG --per day --amount 5 --currency EURO`, /ISO 4217/],
    [`set --org ORG --per day --calls 0`, /--calls/],
    [`set --org ORG --per day --calls -1`, /--calls/],
    [`set --org ORG --per day --calls 1.5`, /--calls/],
    [`set --org ORG --per day --calls 1000000001`, /--calls/],
    [`set --org ORG --per day --calls 99999999999999999999`, /--calls must be at most 1000000000\./],
    [`set --org ORG --per day --calls -99999999999999999999`, /--calls needs a value/],
    [`set --org ORG --per day --calls=-99999999999999999999`, /--calls must be at least 1\./],
    [`set --org ORG --per week ${money}`, /--per/],
    [`set --org ORG --per day ${money} --time-zone Europe/Berlim`, /There is no time zone Europe\/Berlim/],
    [`set --org ORG ${money}`, /--per/],
    [`set --per day ${money}`, /--org/],
    [`set --org ORG --per day ${money} --warn 0`, /--warn/],
    [`set --org ORG --per day ${money} --warn 101`, /--warn/],
    [`set --org org_nobody --per day ${money}`, /There is no organization org_nobody/],
    [`set --org ORG --workflow STRANGE --per day ${money}`, /There is no workflow/],
    [`set --org ORG --workflow wfl_nobody --per day ${money}`, /There is no workflow/],
    [`set --org ORG --source acme__nobody --per day ${money}`, /There is no source/],
    [`set --org OTHER --credential CRED --per day ${money}`, /There is no credential/],
    [`set --org ORG --credential cred_nobody --per day ${money}`, /There is no credential/],
    [`set --org ORG --source acme__open --credential CRED --per day ${money}`, /credential is for acme__people/],
    [`list --org org_nobody`, /There is no organization/],
    [`show cred_1`, /must be the id of a budget/],
    [`remove bud_nobody`, /There is no budget bud_nobody/],
  ] as const) {
    const { code, stderr } = await run(`budget ${words}`);
    assert.notEqual(code, 0, words);
    assert.match(stderr, says, words);
  }
  assert.deepEqual((await json<{ budgets: [] }>("budget list")).budgets, []);
});
