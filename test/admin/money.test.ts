import assert from "node:assert/strict";
import { test } from "node:test";
import { adminPort } from "../rig/admin.ts";
import { startService } from "../rig/service.ts";
import { asksVendor, sendsCredential } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const SPAN = { from: "2020-01-01", to: "2100-01-01" };

test("sums name what they are about, and say by currency how much of them is unknown", async (t) => {
  const vendor = await startVendor(t);
  const service = await startService(t, {
    sources: [
      sendsCredential("acme__people", vendor, "/json", { charge: { model: "per_call", amount: 2, currency: "EUR" } }),
      asksVendor("acme__lost", vendor, "/status/500", { charge: { model: "per_call", amount: 3, currency: "EUR" } }),
      asksVendor("acme__free_of_price", vendor, "/json", { charge: "per_call" }),
    ],
    vendors: [vendor],
  });
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const owner = await service.operator.appoint("owner");
  const { id: org, workflow } = service.a;
  const secret = service.secrets.add("a-vendor-key-of-money");
  const { cred_id } = await result(
    "credential create",
    { org, source: "acme__people", fields: { api_key: secret } },
    owner,
  );
  await result("org rename", { org, name: "Acme & Söhne" }, owner);
  await result("workflow set", { workflow, name: "checks", auto_credentials: true }, owner);
  for (const source of ["acme__people", "acme__lost", "acme__free_of_price"]) {
    await result("source run", { source, workflow }, owner);
    service.expectRunWithoutAnswer();
  }
  await until(async () => (await result("ledger spend", { by: "source", ...SPAN }, owner)).spend.length === 3);

  const { spend, totals } = await result("ledger spend", { by: "org", ...SPAN }, owner);
  assert.deepEqual(
    spend.map(({ org: id, name }: { org: string; name: string }) => [id, name]),
    [
      [org, "Acme & Söhne"],
      [org, "Acme & Söhne"],
    ],
  );
  assert.deepEqual(totals, [
    {
      currency: "EUR",
      requests: 2,
      unknown: 1,
      unpriced: 0,
      amount: "2.00",
      amount_at_most: "5.00",
      amount_unknown: "3.00",
    },
    { currency: null, requests: 1, unknown: 0, unpriced: 1, amount: null, amount_at_most: null, amount_unknown: null },
  ]);
  const month = new Date().toISOString().slice(0, 7);
  const { vendors: invoiced } = await result("ledger summary", { month, vendor: "acme" }, owner);
  assert.deepEqual([invoiced[0].vendor, invoiced[0].amount], ["acme", "2.00"]);
  assert.deepEqual((await result("ledger summary", { month, source: "acme__none" }, owner)).charges, []);
  const { charges } = await result("ledger summary", { month: new Date().toISOString().slice(0, 7) }, owner);
  assert.deepEqual(
    new Set(charges.map(({ organization }: { organization: string }) => organization)),
    new Set(["Acme & Söhne"]),
  );
  const { groups, complete_from: completeFrom } = await result("ledger history", { by: "org" }, owner);
  assert.deepEqual([groups[0].key, groups[0].name, groups[0].points.length], [org, "Acme & Söhne", 1]);
  assert.ok(Date.parse(completeFrom) <= Date.now());
  const { calls, match, failed, costs, unpriced } = groups[0].total;
  assert.deepEqual([calls, match, failed, unpriced], [3, 2, { "source.vendor_5xx": 1 }, 1]);
  assert.deepEqual(costs, [{ currency: "EUR", amount: "2.00", amount_at_most: "5.00" }]);
  const [ofWorkflow] = (await result("ledger spend", { by: "workflow", ...SPAN }, owner)).spend;
  assert.deepEqual([ofWorkflow.workflow, ofWorkflow.name, ofWorkflow.organization_tuid], [workflow, "checks", org]);
  const ofCredential = (await result("ledger spend", { by: "credential", ...SPAN }, owner)).spend.find(
    (line: { credential: string }) => line.credential === cred_id,
  );
  assert.deepEqual([ofCredential.name, ofCredential.organization_tuid], ["acme__people", org]);
  assert.equal("name" in (await result("ledger spend", { by: "source", ...SPAN }, owner)).spend[0], false);

  const { spend: vendors } = await result("ledger spend", { by: "vendor", ...SPAN }, owner);
  assert.deepEqual(
    vendors.map(
      (line: { vendor: string; currency: string | null; requests: number; amount_at_most: string | null }) => [
        line.vendor,
        line.currency,
        line.requests,
        line.amount_at_most,
      ],
    ),
    [
      ["acme", null, 1, null],
      ["acme", "EUR", 2, "5.00"],
    ],
  );

  const set = await result(
    "budget set",
    { org, workflow, per: "month", amount: "9", currency: "EUR", warn: 70 },
    owner,
  );
  // It counts from now on, and what the month has cost before is said.
  assert.equal(set.spent_before, "2.00 EUR to 5.00 EUR");
  const inCalls = await result("budget set", { org, source: "acme__people", per: "month", calls: 9 }, owner);
  assert.equal(inCalls.spent_before, "1 request");
  const shown = await result("budget show", { budget: set.budget }, owner);
  assert.deepEqual([shown.spent_before, shown.used], ["2.00 EUR to 5.00 EUR", "0.00 EUR"]);
  const whole = { org, source: "acme__lost", per: "month", amount: "7", currency: "EUR", count_so_far: true };
  const counting = await result("budget set", whole, owner);
  assert.deepEqual([counting.spent_before, counting.counts_from.slice(8)], [null, "01T00:00:00.000Z"]);
  const used = async () => (await result("budget show", { budget: counting.budget }, owner)).used;
  assert.equal(await used(), "3.00 EUR", "an unknown charge counts in full");
  await result("budget recount", { budget: counting.budget }, owner);
  assert.equal(await used(), "3.00 EUR");
  await result("budget remove", { budget: counting.budget }, owner);
  const [budget] = (await result("budget list", {}, owner)).budgets;
  assert.deepEqual(
    [budget.organization, budget.workflow_name, budget.warn_percent, typeof budget.leased],
    ["Acme & Söhne", "checks", 70, "string"],
  );

  const tokyo = { timeZone: "Asia/Tokyo" };
  const [ofDay] = (await result("ledger spend", { by: "day", ...SPAN, time_zone: "asia/tokyo" }, owner)).spend;
  assert.match(ofDay.day, /^20\d\d-\d\d-\d\d$/);
  const monthThere = new Intl.DateTimeFormat("en-CA", tokyo).format(new Date()).slice(0, 7);
  assert.equal(
    (await result("ledger summary", { month: monthThere, time_zone: "Asia/Tokyo" }, owner)).charges.length,
    3,
  );
  const inTokyo = await result("budget set", { org, per: "day", calls: 9, time_zone: "Asia/Tokyo" }, owner);
  assert.deepEqual([inTokyo.time_zone, set.time_zone], ["Asia/Tokyo", "UTC"]);
  const wrong = await call("ledger spend", { by: "day", ...SPAN, time_zone: "Mars/Olympus" }, { as: owner });
  assert.equal(wrong.statusCode, 422);

  // An invoice that has the run of people, and not the one whose charge nobody knows.
  const runs = (await result("ledger list", { source: "acme__people" }, owner)).runs as { transaction_id: string }[];
  const invoice = { invoice: `Run\n${runs[0]!.transaction_id}\n`, map: ["transaction=Run"], ...SPAN, note: "4711" };
  const viewer = await service.operator.appoint("viewer");
  assert.equal((await call("ledger settle", { ...invoice, apply: true }, { as: viewer })).statusCode, 403);
  const operator = await service.operator.appoint("operator");
  const plan = await result("ledger settle", invoice, operator);
  assert.deepEqual([plan.applied, plan.settled, plan.to_settle, plan.charges[0].charged], [false, 0, 1, "no"]);
  assert.equal((await result("ledger settle", { ...invoice, apply: true }, operator)).settled, 1);
  assert.deepEqual((await result("ledger unknown", {}, operator)).requests, []);
});

test("what a credential costs now is its own price, or else the list price of its source", async (t) => {
  const vendor = await startVendor(t);
  const listed = { charge: { model: "per_match", amount: 2.5, currency: "EUR" } } as const;
  const service = await startService(t, {
    sources: [
      sendsCredential("acme__listed", vendor, "/json", listed),
      sendsCredential("acme__without", vendor, "/json", { charge: "per_call" }),
    ],
    vendors: [vendor],
  });
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const owner = await service.operator.appoint("owner");
  const org = service.a.id;
  const create = async (source: string, at: number) =>
    (
      await result(
        "credential create",
        { org, source, fields: { api_key: service.secrets.add(`a-vendor-key-${source}-${at}`) } },
        owner,
      )
    ).cred_id;
  await create("acme__without", 0);
  const own = await create("acme__listed", 0);
  await create("acme__listed", 1);
  const set = (words: object) => result("credential price set", { cred_id: own, currency: "EUR", ...words }, owner);
  await set({ amount: "1.9", from: "2026-01-01", per: "call" });
  await set({ amount: "1.5", from: "2026-01-01", per: "call", above: 100 });
  await set({ amount: "9", from: "2100-01-01" });

  const { credentials } = await result("credential price current", { org }, owner);
  const told = (credentials as Record<string, unknown>[]).map(
    ({ source, price, amount, currency, per, from, steps }) => [source, price, amount, currency, per, from, steps],
  );
  assert.deepEqual(told, [
    ["acme__listed", "list", "2.50", "EUR", "match", null, 0],
    ["acme__listed", "own", "1.90", "EUR", "call", "2026-01-01T00:00:00.000Z", 1],
    ["acme__without", "none", null, null, "call", null, 0],
  ]);
  const first = await result("credential price current", { org, limit: 2 }, owner);
  const rest = await result("credential price current", { org, after: first.next }, owner);
  assert.deepEqual([...first.credentials, ...rest.credentials], credentials);
});
