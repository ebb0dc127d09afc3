import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { startService } from "../rig/service.ts";

const file = "companies_house/company_profile.yaml";
const PROFILE = "companies_house__company_profile";
const text = readFileSync(new URL(`../../catalog/sources/${file}`, import.meta.url), "utf8");
const service = await startService({ after }, { sources: [compileDeclarative(text, file)] });
const { a, b, operator } = service;
const simulated = { ...a, workflow: await operator.createWorkflow(a.id, { simulated: true, failureDetails: true }) };

const ask = async (inputs: object, entry: unknown = true) => {
  const reply = (await service.run({ [PROFILE]: entry }, inputs, { as: simulated })).json();
  const { calls, attempts, run } = service.ledgerRows(reply.transaction_id);
  assert.equal(run["simulated"], 1);
  assert.deepEqual(attempts, [], "a simulated run sends nothing");
  return { output: reply.outputs[PROFILE], status: reply.status[PROFILE], call: calls[0]! };
};

test("a simulated run needs no stored credential, and the record says that it had none", async () => {
  for (const entry of [true, {}, { credentials: {} }]) {
    const { output, status, call } = await ask({ company_number: "0000000a" }, entry);
    assert.equal(status.message, "Record found");
    assert.equal(output.name, "EXAMPLE TRADING LIMITED");
    assert.equal(call["credential_rule"], "none");
  }
});

test("a credential that a simulated request brings or names is checked as in any run", async () => {
  const strangers = await operator.storeCredential(b, { source: PROFILE, fields: { api_key: "canary-of-b-81c2" } });
  const missing = await ask({ company_number: "0000000a" }, { cred_id: strangers });
  assert.equal(missing.status.message, "Adapter error: the credential named by cred_id cannot be used");
  const unfit = await ask({ company_number: "0000000a" }, { credentials: { api_kye: "canary-kye-5d1f" } });
  assert.equal(unfit.status.failure.kind, "credential");
});

test("magic inputs ask for each thing that a vendor can do wrong", async () => {
  const outcome = async (simulate: string) => {
    const { status } = await ask({ company_number: "0000000a", simulate });
    return status.success ? status.message : status.failure.kind;
  };
  assert.equal(await outcome("no_record"), "No record found");
  for (const kind of ["vendor_5xx", "vendor_4xx", "rate_limited", "credential", "connection_lost"]) {
    assert.equal(await outcome(kind), kind);
  }
  assert.equal(await outcome("malformed"), "contract");
});

test("a misspelt source in the magic input fails the call with a suggestion and is never silently answered", async () => {
  const { status } = await ask({
    company_number: "0000000a",
    simulate: { companies_house__company_profil: "timeout" },
  });
  assert.equal(
    status.message,
    `Adapter error: input simulate names a source that does not exist; did you mean "${PROFILE}"?`,
  );
  assert.equal(status.failure.charged, "no");
});

test("a misspelled input is silent in the answer and named in the log once it is out", async () => {
  const reply = (await service.run({ [PROFILE]: true }, { comapny_number: "0000000a" }, { as: simulated })).json();
  assert.ok(!JSON.stringify(reply.status).includes("comapny_number"));
  const lines = (await service.logLines()).filter(({ transaction_id }) => transaction_id === reply.transaction_id);
  const line = lines.find(({ event }) => event === "misspelled_inputs");
  assert.deepEqual(line?.["inputs"], [{ id: PROFILE, name: "comapny_number", meant: "company_number" }]);
  assert.ok(!JSON.stringify(line).includes("0000000a"), "names, never values");
});

test("prod is refused before anything else is missing", async (t) => {
  const service = await startService(t, { workflow: { simulated: true } });
  assert.equal((await service.post("/data", { config: { context: "prod" } })).statusCode, 422);
  assert.equal((await service.post("/data", { config: { context: "dev" } })).statusCode, 500);
});
