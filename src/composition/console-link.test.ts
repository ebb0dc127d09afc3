import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { ACT, anOperator } from "../storage/engines.kit.ts";
import { openStore, type Store } from "../storage/store.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { createConsoleLink } from "./console-link.ts";

async function newStore(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-link-"));
  const clock = new FakeClock();
  const store = await openStore({ dataDir, clock });
  t.after(async () => {
    await store.close();
    rmSync(dataDir, { recursive: true });
  });
  /** The operator of the link that a new start prints. */
  const linked = async () => {
    const link = await createConsoleLink(store, "http://127.0.0.1:8081", clock);
    const code = link.split("#code=")[1]!;
    const { name, role, id } = (await store.sessions.useLoginCode(hash("sha256", code, "hex"), clock.wall()))!;
    return { name, role, id };
  };
  return { store, linked };
}

const loginLinks = async (store: Store) =>
  (await store.admin.auditEntries({ what: "start --demo" })).flatMap(({ detail }) => detail["login_link"] ?? []);

test("the link of a demo never logs in as an operator that a person has created, whatever its name", async (t) => {
  const { store, linked } = await newStore(t);
  const persons = await Promise.all(
    [anOperator({ name: "demo", role: "viewer" }), anOperator({ name: "demo-2", role: "owner" })].map((one) =>
      store.admin.createOperator(ACT, one),
    ),
  );
  const first = await linked();
  assert.deepEqual([first.name, first.role], ["demo-3", "owner"]);
  assert.ok(persons.every((person) => person!.id !== first.id));
  // A later start finds the operator that the first one created.
  assert.deepEqual(await linked(), first);
  assert.deepEqual(await loginLinks(store), ["demo-3", "demo-3"]);
});

test("a person of the identity provider who is called demo keeps the name to themselves", async (t) => {
  const { store, linked } = await newStore(t);
  await store.admin.admitPerson(ACT, { name: "demo", role: "owner", digest: "d".repeat(64), subject: "demo" });
  assert.equal((await linked()).name, "demo-2");
});

test("a demo's owner who has been revoked is not logged in again, and the next has the name", async (t) => {
  const { store, linked } = await newStore(t);
  const first = await linked();
  await store.admin.revokeOperator(ACT, { id: first.id });
  const second = await linked();
  assert.equal(second.name, "demo");
  assert.notEqual(second.id, first.id);
});
