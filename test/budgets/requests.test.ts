import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/terms/time/clock.ts";
import { deploy } from "../rig/deployed.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";
import { bare, hang, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { withAsker } from "./deployment.ts";

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

/** Notes that are not believed, of which `usage-log.test.ts` lists the kinds, are as good as gone. */
const LEFT: Readonly<Record<string, (dataDir: string) => void>> = {
  "its notes": () => {},
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
