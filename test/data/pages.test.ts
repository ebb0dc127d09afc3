import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { adminPort } from "../rig/admin.ts";
import { startService } from "../rig/service.ts";
import { hang, inTurn, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const ID = "example_pages__company_officers";
const EXAMPLE = readFileSync(
  new URL("../../catalog/sources/example_pages/company_officers.yaml", import.meta.url),
  "utf8",
);
const inputs = { company_number: "00000006" };
const page = (id: string, more: boolean) => json({ officers: [{ id, name: `Officer ${id}` }], has_more: more });

test("each page of a list is a request on the ledger with its charge, within one time limit, and in the plan", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/companies/00000006/officers", inTurn(page("a", true), page("b", true), page("c", false)));
  vendor.on("/companies/00000007/officers", inTurn(page("a", true), hang));
  const file = EXAMPLE.replaceAll("https://officers.register.example", vendor.origin);
  const service = await startService(t, {
    sources: [compileDeclarative(file.replace("timeout_ms: 20000", "timeout_ms: 700"), "company_officers.yaml")],
    workflow: { autoCredentials: true },
    vendors: [vendor],
  });
  const run = async (given: object) => {
    const reply = (await service.run({ [ID]: { credentials: { key: "example-key" } } }, given)).json();
    const { attempts } = service.ledgerRows(reply.transaction_id);
    return { status: reply.status[ID], output: reply.outputs[ID], charges: attempts.map(({ charged }) => charged) };
  };

  const whole = await run(inputs);
  assert.deepEqual(whole.output, { names: ["Officer a", "Officer b", "Officer c"], complete: true });
  assert.deepEqual(whole.charges, ["yes", "yes", "yes"]);
  assert.deepEqual(
    vendor.requests.map(({ target }) => target),
    ["", "?after=a", "?after=b"].map((query) => `/companies/00000006/officers${query}`),
  );

  const late = await run({ company_number: "00000007" });
  assert.deepEqual([late.status.success, late.output], [false, {}]);
  assert.deepEqual(late.charges, ["yes", "unknown"]);

  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const owner = await service.operator.appoint("owner");
  const { workflow, id: org } = service.a;
  await result("credential create", { org, source: ID, fields: { key: service.secrets.add("some-key") } }, owner);
  const plan = await result("workflow plan", { workflow, source: [ID], inputs }, owner);
  assert.deepEqual([plan.at_most, plan.sources[0].problem], [[{ amount: "0.08", currency: "EUR" }], null]);
});
