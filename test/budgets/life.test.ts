import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { periodContaining } from "../../src/terms/money/budget.ts";
import { until } from "../rig/until.ts";
import { rawThenReset } from "../vendor/behaviours.ts";
import { withAsker } from "./deployment.ts";

const STORE = process.env["TEST_STORE"] === "postgres" ? "PostgreSQL" : "SQLite";

test("a budget is noticed, warned of, raised, kept over a restart and removed", async (t) => {
  const { ask, verb, metrics, restart, org, vendor } = await withAsker(t, STORE);
  assert.ok((await ask()).success, "the organization is known before it has a budget");
  const set = (limit: string) => verb(`budget set --org ${org} --source acme__people --per month ${limit}`);
  const { budget } = await set("--amount 1.40 --currency EUR --warn 75");
  let allowed = 1;
  while ((await ask()).success) allowed += 1;
  // Until the service notices, at most a few have gone.
  assert.ok(allowed >= 5, `${allowed}`);
  assert.match(
    (await ask()).message,
    new RegExp(`^Adapter error: budget ${budget} .*source acme__people; 1.40 EUR a month`),
  );
  assert.equal(vendor.count("/asked"), allowed);
  const page = await metrics();
  assert.match(page, /^datarun_budgets_nearly_used 1$/m);
  assert.match(page, new RegExp(`^datarun_budget_used_ratio{budget="${budget}"} 1$`, "m"));
  assert.match(page, /^datarun_source_calls_total{source="acme__people",outcome="budget"} 2$/m);

  const rejected = async () => Number((await verb(`budget show ${budget}`))["rejected_calls"]);
  await until(async () => (await rejected()) === 2);
  assert.equal((await set("--amount 2.10 --currency EUR"))["budget"], budget);
  assert.equal(await rejected(), 0, "it may have room again since its limit was set");
  await until(async () => (await ask()).success);
  await restart();
  assert.ok((await ask()).success);
  assert.ok(!(await ask()).success);
  assert.equal(vendor.count("/asked"), allowed + 2);
  const shown = await verb(`budget show ${budget}`);
  assert.deepEqual([shown["used"], shown["left"]], ["2.10 EUR", "0.00 EUR"]);
  // What it rejects is on the ledger, so that another start knows it too.
  await until(async () => (await rejected()) >= 1);
  await restart();
  const [first] = (await verb("attention show"))["attention"] as unknown as { what: string; says: string }[];
  assert.equal(first?.what, "budget_rejects");
  assert.match(
    first.says,
    /^The budget of organization org_\w+, source acme__people has rejected \d+ calls? since [-\d]+ [:\d]+ UTC\. Used this month: 2\.10 EUR of 2\.10 EUR\.$/,
  );
  await verb(`budget remove ${budget}`);
  await until(async () => (await ask()).success);
});

test("what an invoice answers is settled at once, in parts and once, and its budget counts it", async (t) => {
  const { typed, verb, admin, org, asker, post, vendor } = await withAsker(t, STORE);
  vendor.on("/lost", rawThenReset(""));
  const month = { per: "month", timeZone: "Europe/Berlin" } as const;
  const scope = { organizationId: org, workflowId: null, source: null, credentialId: null };
  const act = { who: "operator", via: "cli", what: "budget set", wallAt: Date.now() } as const;
  const limit = { currency: null, limit: 1_000n, warnPercent: 80, setWallAt: Date.now() - 3_600_000 };
  await admin.setBudget(act, { id: "bud_settled", ...scope, ...month, ...limit });
  const askedAt = async (path: string) => {
    const credentials = { api_key: path };
    const answer = await post({ acme__people: { credentials } }, asker.workflow);
    return (answer as unknown as { transaction_id: string }).transaction_id;
  };
  const [first, second] = [await askedAt("ok"), await askedAt("ok")];
  const lost = [await askedAt("lost"), await askedAt("lost"), await askedAt("lost")];
  const unknown = async () => ((await verb("ledger unknown"))["requests"] as unknown as object[]).length;
  await until(async () => (await unknown()) === 3);

  const folder = mkdtempSync(join(tmpdir(), "datarun-invoice-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "invoice.csv");
  writeFileSync(file, ["Run,Net", ...[first, second, lost[0]!].map((id) => `${id},0.35`), ""].join("\n"));
  const day = (daysFromNow: number) => new Date(Date.now() + daysFromNow * 86_400_000).toISOString().slice(0, 10);
  const options = `${file} --map transaction=Run --map amount=Net --currency EUR --from ${day(-2)} --to ${day(2)}`;
  const compare = async () => {
    const { code, stdout } = await typed(`ledger compare ${options} --time-zone Europe/Berlin --json`);
    const { differences } = JSON.parse(stdout) as { differences: { transaction: string; difference: string }[] };
    return [code, Object.fromEntries(differences.map((one) => [one.transaction, one.difference]))];
  };
  const open = [lost[0], "unknown charge"] as const;
  const rest = lost.slice(1).map((id) => [id, "unknown, not billed"] as const);
  assert.deepEqual(await compare(), [1, Object.fromEntries([open, ...rest])]);

  const settle = async (words = "") => {
    const said = await verb(`ledger settle ${options} --note invoice-1${words}`);
    return [said["settled"], said["to_settle"], said["changed_budgets"]];
  };
  assert.deepEqual(await settle(), [0, 3, undefined]);
  assert.equal(await unknown(), 3);
  const isCounted = Date.now() - 600_000 > periodContaining(month, Date.now()).from;
  const changed = isCounted ? "bud_settled" : undefined;
  assert.deepEqual(await settle(" --apply --limit 2"), [2, 1, changed]);
  assert.deepEqual(await settle(" --apply"), [1, 0, changed]);
  assert.deepEqual(await settle(" --apply"), [0, 0, undefined]);
  assert.deepEqual(await compare(), [0, {}]);

  const shown = await verb(`ledger show ${lost[1]}`);
  assert.match(JSON.stringify(shown), /"charged":"no"/);
  if (isCounted) await until(async () => (await verb("budget show bud_settled"))["used"] === "3 requests");
  const { entries } = await verb("audit list --what ledger");
  const acts = (entries as unknown as { what: string; detail: { state: string } }[]).map(
    ({ what, detail }) => `${what}: ${detail.state}`,
  );
  const ofOne = ["ledger reconcile: about to settle", "ledger reconcile: settled"];
  const ofCommand = (charges: readonly string[]) => [
    "ledger settle: about to begin",
    ...charges,
    "ledger settle: done",
  ];
  assert.deepEqual(acts.toSorted(), [...ofCommand([...ofOne, ...ofOne]), ...ofCommand(ofOne)].toSorted());
});
