import assert from "node:assert/strict";
import { test } from "node:test";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { adminPort } from "../rig/admin.ts";
import { startService } from "../rig/service.ts";
import { bare, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

/** A source whose requests take a token, for which its vendor wants the credential. */
function withLogin(origin: string) {
  const text = `
id: acme__people
title: Acme people
inputs: {type: object, properties: {name: {type: string}}}
credentials: {type: object, required: [secret], properties: {secret: {type: string}}}
origins: ['${origin}']
auth:
  kind: token_exchange
  request: {method: POST, url: '${origin}/token', body: {form: {client_secret: '{{ credentials.secret }}'}}}
  token: body.token
  expires_in: body.expires_in
request: {url: '${origin}/people'}
match: {record: body.name, no_record: 'status == \`404\`'}
verify: {request: {url: '${origin}/me'}}
`;
  return compileDeclarative(text, "people.yaml");
}

test("a credential is verified by a login of its own, and neither takes nor leaves a token of runs", async (t) => {
  const vendor = await startVendor(t);
  const token = (name: string) => json({ token: name, expires_in: 3600 });
  vendor
    .on("/token", token("of-runs"))
    .on("/me", json({}))
    .on("/people", json({ name: "Ada" }));
  // Its requests are in the audit trail, not on the ledger, so the vendor's are not compared with those of the ledger.
  const service = await startService(t, { sources: [withLogin(vendor.origin)] });
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  const fields = { secret: "s-0123456789" };
  const cred_id = await service.operator.storeCredential(service.a, { source: "acme__people", fields });
  const verdict = async () => (await result("credential verify", { cred_id }, ada)).verdict;
  const run = async () => (await service.run({ acme__people: { cred_id } })).json().status.acme__people.success;
  assert.equal(await run(), true);

  vendor.on("/token", token("of-verify"));
  assert.equal(await verdict(), "good");
  vendor.on("/token", bare(401));
  assert.equal(await verdict(), "rejected", "a token from before is good until it expires");
  assert.equal(await run(), true);

  assert.equal(vendor.count("/token"), 3);
  const used = vendor.requests.flatMap(({ path, headers }) => (path === "/token" ? [] : [headers.authorization]));
  assert.deepEqual(used, ["Bearer of-runs", "Bearer of-verify", "Bearer of-runs"]);
});
