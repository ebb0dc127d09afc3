import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sql } from "kysely";
import { newDatabase } from "../../test/postgres/shared-postgres.ts";
import { systemClock } from "../terms/time/clock.ts";
import { aCredential, ACT, anOperator, anOrganization, aToken, aWorkflow } from "./engines.kit.ts";
import { keepLeases } from "../limits/budgets/keep-leases.ts";
import { COPIED, copyTables } from "./copy-tables.ts";
import type { Engine } from "./engine.ts";
import type { NewRow } from "./tables.ts";
import { openEngine, createStore } from "./store.ts";

async function embedded(t: TestContext): Promise<Engine> {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-copy-"));
  const engine = await openEngine({ dataDir, clock: systemClock });
  t.after(async () => {
    await engine.close();
    rmSync(dataDir, { recursive: true });
  });
  return engine;
}

async function shared(t: TestContext): Promise<Engine> {
  const engine = await openEngine({ dataDir: "", databaseUrl: await newDatabase(t), clock: systemClock });
  t.after(() => engine.close());
  await engine.ready();
  return engine;
}

/** More rows than one page, and texts that neither engine stores unchanged. */
async function filled(engine: Engine): Promise<string> {
  const store = createStore(engine, systemClock);
  const organizationId = await anOrganization(store);
  const bind = { kind: "organization", parentId: null, key: "acme", applied: {}, replaces: null } as const;
  const state = { file: "digest", since: { changes: await store.admin.lastChange() }, bind };
  await store.admin.changeOrganization({ ...ACT, state }, organizationId, { name: "Acme" });
  await store.keys.addDataKey({ id: "key_1", organizationId, rootKeyId: "root_1", wrapped: "w" });
  for (let at = 0; at < 510; at += 1) await aToken(store, organizationId, `digest ${at}`);
  const workflow = { ...aWorkflow(organizationId), name: "nul\u0000 lone\ud800 sub\u001a É" };
  await store.admin.createWorkflow(ACT, workflow);
  const texts = () => Promise.resolve({ content: "nul\u0000 É", source: {} });
  const version = { kind: "source", id: "acme__people", digest: "digest", origin: "project", texts } as const;
  await store.admin.registerVersions([version], { wallAt: 1, build: null, deployedBy: null });
  await engine.writer.insertInto("shadow_results").values(shadowResult(workflow.id)).execute();
  const shape = { source: "acme__people", version: "digest", span: "day", at: 1, writer: "st_1" } as const;
  await store.admin.saveReplyShapes([{ ...shape, samples: 1, counts: "" }]);
  await store.admin.createCredential(ACT, aCredential(organizationId, { contexts: ["prod"], isDefault: true }));
  const priced = { id: "cred_1", organizationId, source: "acme__people" };
  const term = { amount: 350_000n, currency: "EUR", fromWallAt: 1, above: 0, per: null, timeZone: "UTC" };
  await store.admin.setPrice(ACT, priced, () => term);
  await store.callCounts.addCalls("cred_1", 0, 3);
  const scope = { organizationId, workflowId: null, source: null, credentialId: null };
  const limit = {
    per: "month",
    timeZone: "Europe/Berlin",
    currency: null,
    limit: 5n,
    warnPercent: 80,
    setWallAt: 1,
  } as const;
  await store.admin.setBudget(ACT, { id: "bud_1", ...scope, ...limit });
  const wanted = { need: 2n, least: 1n, spare: 0n };
  const ask = {
    budgetId: "bud_1",
    lease: "s1",
    process: "p1",
    sequence: 1,
    periodFrom: null,
    keep: 0n,
    used: 0n,
    ends: false,
    hasEnded: false,
    isDurable: true,
    wanted,
  };
  await store.budgets.exchange([ask], keepLeases);
  await store.admin.createOperator(ACT, anOperator());
  const deleted = aCredential(organizationId, { disabled: true });
  await store.admin.createCredential(ACT, deleted);
  await store.admin.deleteCredential(ACT, deleted.id);
  return organizationId;
}

function shadowResult(workflowId: string): NewRow<"shadow_results"> {
  const counts = { same: 1, different: 2, missing: 3, added: 4, failed: 5, unrecorded: 6 };
  const about = { workflow_id: workflowId, function_id: "dfunc_x", version: "digest", field: "output" };
  return { id: "result", ...about, ...counts, transaction_ids: "[]", changed_wall_at: 1 };
}

async function rowsOf(engine: Engine) {
  const tables = COPIED.map(async (table) => {
    const rows = await engine.reader.selectFrom(table).selectAll().execute();
    return [table, rows.map((row) => JSON.stringify(row, Object.keys(row).toSorted())).toSorted()] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

test("a store is copied with every row of every table, to either engine, and the copy's audit trail records the act", async (t) => {
  const from = await embedded(t);
  await filled(from);
  const before = await rowsOf(from);
  for (const to of [await shared(t), await embedded(t)]) {
    const counts = await copyTables(from, to, { ...ACT, what: "store copy" });
    assert.deepEqual(counts, {
      organizations: 1,
      tokens: 510,
      workflows: 1,
      data_keys: 1,
      credentials: 2,
      credential_prices: 1,
      credential_calls: 1,
      budgets: 1,
      budget_leases: 1,
      operators: 1,
      audit: 519,
      versions: 1,
      shadow_results: 1,
      state_keys: 1,
      reply_shapes: 1,
    });
    const [trail] = await createStore(to, systemClock)
      .admin.auditEntries({ limit: 1000 })
      .then((entries) => entries.filter(({ what }) => what === "store copy"));
    assert.deepEqual(trail?.detail, counts);
    await to.writer.deleteFrom("audit").where("what", "=", "store copy").execute();
    assert.deepEqual(await rowsOf(to), before);
  }
  assert.deepEqual(await rowsOf(from), before);
});

test("the target is not left waiting while more and more of the source is read, or it would end the session", async (t) => {
  const [from, to] = [await embedded(t), await shared(t)];
  await filled(from);
  const asked: string[] = [];
  const watched = (engine: Engine, name: string): Engine => ({
    ...engine,
    writer: engine.writer.withPlugin({
      transformQuery({ node }) {
        asked.push(name);
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
  });
  await copyTables(watched(from, "source"), watched(to, "target"), ACT);
  assert.ok(asked.includes("source") && asked.includes("target"));
  assert.doesNotMatch(asked.join(" "), /source source/);
});

test("nothing is copied to a store that is not empty, whatever it contains", async (t) => {
  const from = await embedded(t);
  await filled(from);
  const to = await shared(t);
  await createStore(to, systemClock).admin.recordAct(ACT, { organizationId: null, subjectId: "x", detail: {} });
  await assert.rejects(copyTables(from, to, ACT), { code: "refused", message: /not empty: it holds audit/ });
  assert.deepEqual((await rowsOf(to))["organizations"], []);
});

test("a copy that does not read back as it was written leaves nothing behind", async (t) => {
  const from = await embedded(t);
  await filled(from);
  const to = await shared(t);
  await sql`create function shorten() returns trigger language plpgsql as 'begin new.sealed := ''''; return new; end'`.execute(
    to.writer,
  );
  await sql`create trigger shorten before insert on credentials for each row execute function shorten()`.execute(
    to.writer,
  );
  await assert.rejects(copyTables(from, to, ACT), { code: "refused", message: /credentials was not read back/ });
  for (const rows of Object.values(await rowsOf(to))) assert.deepEqual(rows, []);
});

test("no table of a store is forgotten", async (t) => {
  const tables = await (await embedded(t)).reader.introspection.getTables();
  const others = tables.filter(({ isView, name }) => !isView && !(COPIED as readonly string[]).includes(name));
  assert.deepEqual(
    others.map(({ name }) => name).filter((name) => !name.startsWith("ledger_")),
    // Leases belong to processes, none of which runs during a copy. Sessions and codes are short-lived.
    ["datarun_changes", "datarun_migrations", "leases", "login_codes", "operator_sessions"],
    "a new table is copied, or said here not to be",
  );
});
