import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { periodContaining } from "../../src/terms/money/budget.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { deploy } from "../rig/deployed.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";
import { bare, hang, json, rawThenReset } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { deployment, STORES } from "./deployment.ts";

async function withAsker(t: TestContext, store: (typeof STORES)[number], clock = systemClock) {
  const here = await deployment(t, store, clock);
  const asker = await here.operator.createOrganization("A", { autoCredentials: true });
  await here.operator.storeCredential(asker, { source: "acme__people", fields: { api_key: "asked" } });
  const post = (sources: object, workflow = asker.workflow) =>
    here.post("/data", { ...asker, workflow }, { config: { sources } });
  const ask = async () => (await post({ acme__people: true })).status["acme__people"]!;
  return { ...here, org: asker.id, asker, post, ask };
}

for (const store of STORES) {
  test(`a budget is noticed, warned of, raised, kept over a restart and removed: ${store}`, async (t) => {
    const { ask, verb, metrics, restart, org, vendor } = await withAsker(t, store);
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
}

test("simulated runs and requests that are declared free use nothing", async (t) => {
  const { admin, operator, asker, post, verb, org } = await withAsker(t, "SQLite");
  const { budget } = await verb(`budget set --org ${org} --per day --calls 1`);
  const simulated = await operator.createWorkflow(asker.id, { simulated: true });
  for (let times = 0; times < 3; times += 1) {
    await post({ acme__people: true }, simulated);
    assert.ok((await post({ acme__sibling: true })).status["acme__sibling"]!.success);
  }
  const use = (await admin.budget(budget!))!;
  assert.deepEqual([use.used, use.leased], [0n, 0n]);
  const both = await post({ acme__people: true, acme__sibling: true });
  assert.deepEqual(
    Object.values(both.status).map(({ success }) => success),
    [true, true],
  );
});

test("a redirect reserves nothing of the budget that the following request needs", async (t) => {
  const { post, verb, vendor, org } = await withAsker(t, "SQLite");
  vendor.on("/moved", bare(302, { location: "/there" }));
  const { budget } = await verb(`budget set --org ${org} --per day --amount 0.70 --currency EUR`);
  const said: boolean[] = [];
  for (let times = 0; times < 3; times += 1)
    said.push((await post({ acme__moved: true })).status["acme__moved"]!.success);
  assert.deepEqual(said, [true, true, false]);
  assert.deepEqual([vendor.count("/moved"), vendor.count("/there")], [2, 2]);
  await until(async () => (await verb(`budget show ${budget}`))["used"] === "0.70 EUR");
});

test("a clock that leaps ahead and is put right lets nothing be spent again", async (t) => {
  let leapMs = 0;
  const clock = { ...systemClock, wall: () => Date.now() + leapMs };
  const { ask, verb, org, vendor } = await withAsker(t, "SQLite", clock);
  await verb(`budget set --org ${org} --per month --calls 3`);
  const isUsed = async () => /3 requests a month/.test((await ask()).message);
  await until(isUsed);
  leapMs = 70 * 24 * 60 * 60_000;
  await until(async () => (await ask()).success);
  leapMs = 0;
  const before = vendor.count("/asked");
  // Until the service has asked the store again, it goes on in the later month, which has room for two more.
  await until(isUsed);
  for (let times = 0; times < 5; times += 1) await ask();
  assert.ok(vendor.count("/asked") - before <= 2);
});

test("each request of a call needs budget: one that was sent stays charged, and the next is not sent", async (t) => {
  const { post, verb, vendor, org } = await withAsker(t, "SQLite");
  const { budget } = await verb(`budget set --org ${org} --per day --amount 0.35 --currency EUR`);
  const { status } = await post({ acme__twice: true });
  assert.match(status["acme__twice"]!.message, new RegExp(`^Adapter error: budget ${budget} `));
  assert.deepEqual(
    ["/login", "/first", "/second"].map((path) => vendor.count(path)),
    [1, 1, 0],
  );
  await until(async () => (await verb(`budget show ${budget}`))["used"] === "0.35 EUR");
});

/** Changes the notes of budgets in a data directory. */
function changeNotes(dataDir: string, change: (text: string) => string): void {
  const folder = join(dataDir, "budgets");
  for (const name of readdirSync(folder)) {
    // In place, so that it is the same file.
    const file = join(folder, name);
    writeFileSync(file, change(readFileSync(file, "utf8")), { flag: "r+" });
  }
}

const LEFT: Readonly<Record<string, (dataDir: string) => void>> = {
  "its notes": () => {},
  "the journal, after the machine was started again": (dataDir) =>
    changeNotes(dataDir, (text) => text.replace(/^boot [0-9a-f]{8}/, "boot 00000000")),
  "the journal, after an upgrade from another form of notes": (dataDir) =>
    changeNotes(dataDir, (text) => text.replace(/form \d/, "form 0")),
  "the journal, if the notes are gone": (dataDir) => rmSync(join(dataDir, "budgets"), { recursive: true }),
};

for (const [by, spoil] of Object.entries(LEFT)) {
  test(`after kill -9 a budget counts what was charged or may have been, and nothing that was only leased, by ${by}`, async (t) => {
    const vendor = await startVendor(t);
    vendor.on("/ok", json({})).on("/refused", bare(429)).on("/held", hang);
    const source = `export default {
      id: "acme__people", title: "People", inputs: { type: "object", properties: { path: { type: "string" } } },
      origins: ["${vendor.origin}"], charge: "per_call",
      run: ({ http, inputs }) => http.get("${vendor.origin}/" + inputs.path).then((reply) => reply.json()),
    };`;
    const { access, dataDir, verb, start } = await deploy(t, {
      project: project(t, { "sources/acme__people.mjs": source }),
    });
    const { budget } = await verb("budget", "set", "--org", access.id, "--per", "month", "--calls", "1000");
    const first = await start();
    for (const path of ["ok", "refused", "ok", "ok"]) await first.run({ acme__people: true }, { path });
    const lost = first.run({ acme__people: true }, { path: "held" }).catch((error: Error) => error);
    await until(() => vendor.count("/held") === 1);
    first.signal("SIGKILL");
    await first.ended;
    assert.ok((await lost) instanceof Error);
    spoil(dataDir);

    const second = await start();
    const before = vendor.count("/ok");
    await until(async () => {
      await second.run({ acme__people: true }, { path: "ok" });
      return vendor.count("/ok") > before;
    });
    second.signal("SIGTERM");
    await second.ended;
    const { used, leased, silent } = await verb("budget", "show", budget);
    const counted = `${vendor.count("/ok") + vendor.count("/held")} requests`;
    assert.deepEqual([used, leased, silent], [counted, "0 requests", "0 requests"]);
  });
}

for (const store of STORES) {
  test(`what an invoice answers is settled at once, in parts and once, and its budget counts it: ${store}`, async (t) => {
    const { typed, verb, admin, org, asker, post, vendor } = await withAsker(t, store);
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
}
