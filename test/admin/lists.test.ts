import assert from "node:assert/strict";
import { test } from "node:test";
import { adminPort } from "../rig/admin.ts";
import { startService } from "../rig/service.ts";
import { asksVendor, sendsCredential } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const CURRENCIES = ["CHF", "DKK", "EUR", "GBP", "USD"];

test("every list is read page by page, and each line is on one page, whatever comes and goes meanwhile", async (t) => {
  const vendor = await startVendor(t);
  const service = await startService(t, {
    sources: [sendsCredential("acme__people", vendor, "/json")],
    vendors: [vendor],
  });
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const owner = await service.operator.appoint("owner");
  const { organization_tuid: org } = await result("org create", { name: "Acme" }, owner);
  const creates: Readonly<Record<string, (at: number) => Promise<unknown>>> = {
    "org list": (at) => result("org create", { name: `Other ${at}` }, owner),
    "workflow list": (at) => result("workflow create", { org, name: `w${at}` }, owner),
    "token list": (at) => result("token create", { org, name: `t${at}` }, owner),
    "credential list": (at) =>
      result(
        "credential create",
        { org, source: "acme__people", fields: { api_key: service.secrets.add(`a-secret-${at}-x`) } },
        owner,
      ),
    "operator list": (at) => result("operator create", { name: `op${at}`, role: "viewer" }, owner),
    "budget list": (at) => result("budget set", { org, per: "day", amount: "9", currency: CURRENCIES[at] }, owner),
    "audit list": (at) => result("workflow create", { org, name: `a${at}` }, owner),
  };
  for (const [list, create] of Object.entries(creates)) {
    const name = list.split(" ")[0]!;
    const field = name === "audit" ? "entries" : `${name === "org" ? "organization" : name}s`;
    const about = name === "org" || name === "operator" ? {} : { org };
    for (let at = 0; at < 5; at += 1) await create(at);
    const all = await result(list, { ...about, limit: 1_000 }, owner);
    assert.ok(all[field].length >= 5 && all.next === undefined, list);
    const lines: unknown[] = [];
    let after: string | undefined;
    do {
      const page = await result(list, { ...about, limit: 2, ...(after !== undefined && { after }) }, owner);
      assert.ok(page[field].length <= 2, list);
      lines.push(...page[field]);
      after = page.next;
      // A new line belongs before the newest: it must not move what comes on the next page.
      if (after !== undefined && name !== "budget") await create(5 + lines.length);
    } while (after !== undefined);
    assert.deepEqual(lines.slice(-all[field].length), all[field], list);
    assert.equal(lines.length, all[field].length, list);
  }
});

test("prices of a credential, sums and unknown charges are paged in the same way", async (t) => {
  const vendor = await startVendor(t);
  const lost = asksVendor("acme__lost", vendor, "/status/500");
  const service = await startService(t, {
    sources: [lost, sendsCredential("acme__people", vendor, "/json")],
    vendors: [vendor],
  });
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("owner", "ada");
  const { workflow } = service.a;
  for (let run = 0; run < 3; run += 1) {
    await result("source run", { source: "acme__lost", workflow }, ada);
    service.expectRunWithoutAnswer();
  }
  await until(async () => (await result("ledger unknown", {}, ada)).requests.length === 3);
  const { organization_tuid: org } = await result("org create", { name: "Acme" }, ada);
  const { cred_id } = await result(
    "credential create",
    { org, source: "acme__people", fields: { api_key: service.secrets.add("a-vendor-key-of-lists") } },
    ada,
  );
  for (const [from, above] of [["2026-01-01"], ["2026-01-01", 10], ["2026-02-01"], ["2026-02-01", 5]] as const)
    await result("credential price set", { cred_id, amount: "1", currency: "EUR", from, ...(above && { above }) }, ada);
  const span = { from: "2020-01-01", to: "2100-01-01" };
  const month = new Date().toISOString().slice(0, 7);
  for (const [list, about, field, least] of [
    ["ledger unknown", {}, "requests", 3],
    ["ledger list", {}, "runs", 3],
    ["ledger spend", { by: "source", ...span }, "spend", 1],
    ["ledger summary", { month }, "charges", 1],
    ["credential price list", { cred_id }, "prices", 4],
  ] as const) {
    const all = await result(list, about, ada);
    assert.ok(all[field].length >= least, list);
    const lines: unknown[] = [];
    let after: string | undefined;
    do {
      const page = await result(list, { ...about, limit: 1, ...(after !== undefined && { after }) }, ada);
      assert.equal(page[field].length, 1, list);
      lines.push(...page[field]);
      after = page.next;
    } while (after !== undefined);
    assert.deepEqual(lines, all[field], list);
  }
});
