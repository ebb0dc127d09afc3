import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../terms/fault.ts";
import { Secret } from "../../terms/secret.ts";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { markReferences } from "./marked-fields.ts";
import { SecretUnavailable } from "./secret-unavailable.ts";
import { SecretReferences } from "./secret-references.ts";

const TTL_MS = 60_000;

/** A store of secrets that the test controls, and what reads it. */
function rig() {
  const clock = new FakeClock();
  const store = { reads: 0, answer: async (): Promise<string> => "first" };
  const read = () => {
    store.reads += 1;
    return store.answer();
  };
  const references = new SecretReferences({ clock, ttlMs: TTL_MS, read });
  const sealed = new Secret(markReferences({ user: "u" }, { key: "vault://kv/acme#key" }));
  const kept = references.among(sealed)!;
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- it is no array
  const filled = async () => references.fill(sealed, kept);
  const value = async () => (await filled()).fields.reveal();
  const refusal = async () => {
    const thrown = await filled().catch((error: unknown) => error);
    assert.ok(thrown instanceof Fault);
    return [thrown.code, thrown.detail["reason"]];
  };
  return { clock, store, references, kept, filled, value, refusal };
}

test("a value is read once for all calls at a time, and again after its time", async () => {
  const { clock, store, value } = rig();
  const values = await Promise.all([value(), value(), value()]);
  assert.deepEqual(values[2], { user: "u", key: "first" });
  assert.equal(store.reads, 1);
  await clock.advance(TTL_MS - 1);
  await value();
  assert.equal(store.reads, 1);
  store.answer = async () => "second";
  await clock.advance(1);
  assert.deepEqual(await value(), { user: "u", key: "second" });
  assert.equal(store.reads, 2);
});

test("fields stay the same object while no value changes, and the generation tells a change", async () => {
  const { clock, store, filled } = rig();
  const first = await filled();
  await clock.advance(TTL_MS);
  const second = await filled();
  assert.equal(second.fields, first.fields);
  assert.equal(second.generation, first.generation);
  store.answer = async () => "other";
  await clock.advance(TTL_MS);
  assert.notEqual((await filled()).generation, first.generation);
});

test("while the store does not answer, a value is used for five minutes more, and asked for every five seconds", async () => {
  const { clock, store, value, refusal } = rig();
  await value();
  store.answer = () => Promise.reject(new SecretUnavailable("it cannot be reached (ECONNREFUSED)"));
  await clock.advance(TTL_MS);
  for (let at = 0; at < 100; at += 1) assert.equal((await value())["key"], "first");
  assert.equal(store.reads, 2);
  await clock.advance(5_000);
  await value();
  assert.equal(store.reads, 3);
  await clock.advance(295_000);
  assert.deepEqual(await refusal(), ["source.credential_unavailable", "it cannot be reached (ECONNREFUSED)"]);
  store.answer = async () => "back";
  await clock.advance(5_000);
  assert.equal((await value())["key"], "back");
});

test("a store that answers nothing is waited for five seconds", async () => {
  const { clock, store, refusal } = rig();
  store.answer = () => new Promise(() => {});
  const refused = refusal();
  await clock.advance(5_000);
  assert.deepEqual(await refused, ["source.credential_unavailable", "there was no answer within 5000 ms"]);
});

test("a value that the store refuses is not used any more", async () => {
  const { clock, store, value, refusal } = rig();
  await value();
  store.answer = () => Promise.reject(new SecretUnavailable("the vault has refused access (403)", { isFinal: true }));
  await clock.advance(TTL_MS);
  assert.deepEqual(await refusal(), ["source.credential_unavailable", "the vault has refused access (403)"]);
  store.answer = () => Promise.reject(new SecretUnavailable("the vault is sealed or in maintenance (503)"));
  await clock.advance(5_000);
  assert.deepEqual(await refusal(), ["source.credential_unavailable", "the vault is sealed or in maintenance (503)"]);
});

test("after a vendor's rejection the next call reads the value again, and a bad key does not ask without end", async () => {
  const { clock, store, references, kept, value } = rig();
  await value();
  store.answer = async () => "second";
  references.rejected(kept);
  assert.equal((await value())["key"], "first");
  await clock.advance(5_000);
  references.rejected(kept);
  assert.equal((await value())["key"], "second");
  for (let at = 0; at < 100; at += 1) {
    references.rejected(kept);
    await value();
  }
  assert.equal(store.reads, 2);
});

test("a failure that is not the store's is told as one, without its text", async () => {
  const { store, refusal } = rig();
  store.answer = () => Promise.reject(new TypeError("planted"));
  assert.deepEqual(await refusal(), ["source.credential_unavailable", "it cannot be read"]);
});

test("describing tells age and problem, never the value", async () => {
  const { clock, store, references, kept, value } = rig();
  await value();
  await clock.advance(2_000);
  const reference = "vault://kv/acme#key";
  assert.deepEqual(await references.describe(kept), [{ field: "key", reference, ageMs: 2_000, problem: null }]);
  store.answer = () => Promise.reject(new SecretUnavailable("the vault is sealed or in maintenance (503)"));
  await clock.advance(TTL_MS);
  const problem = "the vault is sealed or in maintenance (503)";
  assert.deepEqual(await references.describe(kept), [{ field: "key", reference, ageMs: 62_000, problem }]);
});
