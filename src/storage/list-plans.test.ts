import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { CompiledQuery, type Kysely, type RootOperationNode } from "kysely";
import { Client } from "pg";
import { newDatabase } from "../../test/postgres/shared-postgres.ts";
import type { AdminStore, AuditFilter } from "../admin/ports.ts";
import { systemClock } from "../terms/time/clock.ts";
import { createAdminStore } from "./admin-store.ts";
import type { Engine } from "./engine.ts";
import type { Tables } from "./tables.ts";
import { openEngine } from "./store.ts";

const AUDIT_FILTERS: readonly AuditFilter[] = [
  { organizationId: "org_1" },
  { who: "ada" },
  { what: "token create" },
  { subjectId: "tok_1" },
  { from: 1 },
  { to: 9 },
];

/** Every combination of the filters, including none. */
function combinations<Filter>(filters: readonly Filter[]): readonly Filter[] {
  return filters.reduce<Filter[]>(
    (some, one) => some.concat(some.map((other) => ({ ...other, ...one }))),
    [{} as Filter],
  );
}

/** Every list of the store with every filter, as its first page and as a later one. */
function lists(admin: AdminStore): Readonly<Record<string, () => Promise<unknown>>> {
  const org = "org_1";
  const asked: Record<string, () => Promise<unknown>> = {};
  for (const page of [{ limit: 9 }, { limit: 9, after: "x_1" }]) {
    const on = page.after === undefined ? "" : " on";
    asked[`organizations${on}`] = () => admin.organizations(page);
    asked[`operators${on}`] = () => admin.operators(page);
    asked[`tokens${on}`] = () => admin.tokens(org, page);
    for (const state of ["active", "expired", "revoked"] as const)
      asked[`tokens ${state}${on}`] = () => admin.tokens(org, { ...page, state, wallAt: 9 });
    asked[`workflows${on}`] = () => admin.workflows(org, page);
    asked[`workflows by name${on}`] = () => admin.workflows(org, { ...page, nameStart: "a" });
    asked[`workflows by id${on}`] = () => admin.workflows(org, { ...page, idStart: "wfl_0" });
    asked[`credentials${on}`] = () => admin.credentials({ organizationId: org }, page);
    asked[`credentials of all organizations${on}`] = () => admin.credentials({}, page);
    asked[`credentials of a source${on}`] = () => admin.credentialsOfSource("acme__people", page);
    asked[`budgets${on}`] = () => admin.budgets(undefined, page);
    asked[`budgets of one${on}`] = () => admin.budgets(org, page);
    for (const [at, filter] of combinations(AUDIT_FILTERS).entries())
      asked[`audit ${at}${on}`] = () => admin.auditEntries({ ...page, ...filter });
    asked[`prices${on}`] = () =>
      admin.prices("cred_1", { limit: 9, ...(page.after !== undefined && { after: { fromWallAt: 9, above: 9 } }) });
  }
  for (const id of ["org_1", "wfl_1", "tok_1", "cred_1", "bud_1", "opr_1"])
    asked[`find ${id}`] = () => admin.findById(id, 20);
  asked["prices of some"] = () => admin.pricesOf(["cred_1", "cred_2"]);
  asked["find ids"] = () => admin.findByIds(["org_1", "wfl_1", "org_2", "trx_1", null]);
  asked["find digest"] = () => admin.findByDigest("d");
  asked["find name"] = () => admin.findByName("acme", 20);
  return asked;
}

test("every list of the embedded store is read from an index, in its order", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-plans-"));
  t.after(() => rmSync(dataDir, { recursive: true }));
  await assertPlans(t, { dataDir, clock: systemClock }, "EXPLAIN QUERY PLAN", (plan) => {
    // Without a condition, a list reads a table from the end of its key.
    const scans = plan.split("\n").filter((line) => line.startsWith("SCAN ") && !line.includes("USING"));
    return scans.filter((line) => line !== "SCAN newest").length === 0 && !plan.includes("TEMP B-TREE FOR ORDER BY");
  });
});

test("every list of a shared store is read from an index, in its order", async (t) => {
  const databaseUrl = await newDatabase(t);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  // On empty tables PostgreSQL prefers scans. With these settings it scans or sorts only where no index can serve.
  for (const way of ["seqscan", "sort", "bitmapscan"])
    await client.query(`alter database ${client.database} set enable_${way} = off`);
  await client.end();
  const options = { dataDir: "", databaseUrl, clock: systemClock };
  await assertPlans(t, options, "EXPLAIN", (plan) => !/Seq Scan|Sort/.test(plan));
});

async function assertPlans(
  t: TestContext,
  options: Parameters<typeof openEngine>[0],
  explain: string,
  isByIndex: (plan: string) => boolean,
): Promise<void> {
  const engine = await openEngine(options);
  t.after(() => engine.close());
  await engine.ready();
  const asked: RootOperationNode[] = [];
  const admin = createAdminStore({ ...listening(engine, asked), wallAt: async () => 0 });
  for (const [name, ask] of Object.entries(lists(admin))) {
    asked.length = 0;
    await ask();
    assert.ok(asked.length > 0, name);
    for (const node of asked) {
      const { sql, parameters } = engine.reader.getExecutor().compileQuery(node, { queryId: name });
      const { rows } = await engine.reader.executeQuery<Record<string, unknown>>(
        CompiledQuery.raw(`${explain} ${sql}`, [...parameters]),
      );
      const plan = rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n");
      assert.ok(isByIndex(plan), `${name}\n${sql}\n${plan}`);
    }
  }
}

/** An engine that records the queries of its reader. */
function listening(engine: Engine, asked: RootOperationNode[]): Engine {
  const reader: Kysely<Tables> = engine.reader.withPlugin({
    transformQuery: ({ node }) => {
      asked.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { ...engine, reader };
}
