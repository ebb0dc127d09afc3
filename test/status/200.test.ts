import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, test } from "node:test";
import { makeAccessToken } from "../../src/access/access-token.ts";
import { startService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const vendor = await startVendor({ after });
const sources = [asksVendor("acme__people", vendor, "/json")];
const service = await startService({ after }, { sources, vendors: [vendor] });

test("/status says OK and which build is deployed, with no authentication", async () => {
  const reply = await service.send("GET", "/status");

  assert.equal(reply.statusCode, 200);
  assert.deepEqual(Object.keys(reply.json()), ["status", "git_sha", "git_derived_version"]);
  assert.equal(reply.json().status, "OK");
});

test("git_sha is the commit of the checkout, and the version is derived from it", async (t) => {
  const git = (...words: string[]) => execFileSync("git", words, { encoding: "utf8" }).trim();
  let sha: string;
  try {
    sha = git("rev-parse", "HEAD");
  } catch {
    return t.diagnostic("not in a checkout: the build's file is tested beside src/composition/deployment.ts");
  }
  const { git_sha, git_derived_version } = (await service.send("GET", "/status")).json();
  assert.equal(git_sha, sha);
  const tags = git("tag", "--points-at", "HEAD").split("\n");
  assert.ok(tags.includes(git_derived_version) || git_derived_version === sha.slice(0, 7), git_derived_version);
});

test("/status takes no parameters: a token, a query or a body changes nothing", async () => {
  const plain = (await service.send("GET", "/status")).text;
  const headers = { "X-Service-Access-Token": makeAccessToken(), Authorization: "Bearer x", Accept: "text/html" };
  assert.equal((await service.send("GET", "/status", { headers })).text, plain);
  assert.equal((await service.send("GET", "/status?verbose=1")).text, plain);
  assert.equal((await service.send("GET", "/status", { body: "{}" })).text, plain);
});

test("HEAD /status is its GET without the body", async () => {
  const get = await service.send("GET", "/status");
  const head = await service.send("HEAD", "/status");
  assert.equal(head.statusCode, 200);
  assert.equal(head.headers["content-length"], String(get.text.length));
});

// A mock has no ledger.
if (!service.isMock)
  test("/status calls no vendor and leaves nothing on the ledger", async () => {
    for (let times = 0; times < 20; times += 1) await service.send("GET", "/status");
    assert.equal(vendor.connections, 0);
    assert.deepEqual(service.ledgerRows(), []);
  });
