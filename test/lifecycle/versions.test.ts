import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { MIGRATIONS as JOURNAL_MIGRATIONS } from "../../src/ledger/journal/migrations.ts";
import { MIGRATIONS } from "../../src/storage/migrations/index.ts";
import { newStoreDatabase } from "../postgres/shared-postgres.ts";
import { startCommand, type CommandService } from "../rig/command.ts";
import { readSharedLedger } from "../rig/shared-database.ts";
import { until } from "../rig/until.ts";
import { verb } from "../start/operator-verb.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { assertVerified, crashRounds } from "./crash-rounds.ts";
import { vendorProject } from "./vendor-project.ts";

/*
 * An upgrade that is undone, and replicas of two versions at once: the package of the last release with this version, and
 * this version with a next one, which adds to every schema what this version does not know.
 */

const THIS = fileURLToPath(new URL("../..", import.meta.url));
const PREVIOUS = previousRelease();
const NEXT = nextVersion();

const PAIRS = [
  { what: "the previous release and this version", older: PREVIOUS, newer: THIS },
  { what: "this version and a next one", older: THIS, newer: NEXT },
];

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-version-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(THIS, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Unpacked, with the dependencies of this checkout in place of its own: tests need no network. */
function previousRelease(): string {
  const folder = temporary();
  const tarball = fileURLToPath(new URL("previous-release.tgz", import.meta.url));
  execFileSync("tar", ["-xzf", tarball, "-C", folder]);
  return join(folder, "package");
}

/** A copy of this checkout with one more migration of the store and of the journal, and one more column of the ledger. */
function nextVersion(): string {
  const folder = temporary();
  for (const name of ["bin", "src", "catalog", "package.json", "tsconfig.json", "openapi.json", "openapi-admin.json"])
    cpSync(join(THIS, name), join(folder, name), { recursive: true });
  edit(
    join(folder, "src/storage/migrations/index.ts"),
    "];\n\nfunction from",
    `  { name: "next_ledger_column", up: (db) => db.schema.alterTable("ledger_runs").addColumn("next", "text").execute(), readableFrom: ${MIGRATIONS.length} },
       { name: "next_column", up: (db) => db.schema.alterTable("tokens").addColumn("next", "text").execute(), readableFrom: ${MIGRATIONS.length} },
     ];\n\nfunction from`,
  );
  const journal = join(folder, "src/ledger/journal/migrations.ts");
  const sql = "CREATE TABLE next (only INTEGER PRIMARY KEY); CREATE INDEX runs_next ON runs (took_ms);";
  edit(journal, /\];\n$/, `  { sql: "${sql}", readableFrom: ${JOURNAL_MIGRATIONS.length} },\n];\n`);
  const column = "next: atEnd(types.textOrNull(), () => null, { later: true }),";
  edit(join(folder, "src/ledger/columns.ts"), /(RUN_COLUMNS = \{\n[^]*?)\n\};/, `$1\n  ${column}\n};`);
  return folder;
}

function edit(file: string, from: string | RegExp, to: string): void {
  const text = readFileSync(file, "utf8");
  const edited = text.replace(from, to);
  assert.notEqual(edited, text, file);
  writeFileSync(file, edited);
}

for (const { what, older, newer } of PAIRS) {
  test(`${what}: killed alternately on one data directory, nothing is lost, and both find the ledger sound`, async (t) => {
    // Each of them recovers what a kill of the other has left.
    const count = await crashRounds(t, 3, [older, newer]);
    assert.ok(count.answered > 30, `too little was running to prove anything: ${count.answered} answers`);
  });

  test(`${what}: killed alternately on one PostgreSQL, nothing is lost, and both find the ledger sound`, async (t) => {
    const vendor = await startVendor(t, { paths: { "/quick": later(5, json({ quick: true })) } });
    const env = {
      DATABASE_URL: await newStoreDatabase(t),
      DATARUN_ROOT_KEY: randomBytes(32).toString("base64"),
      DATARUN_PROJECT: vendorProject(t, vendor, { quick: "/quick" }),
    };
    const org = verb(env, "org", "create", "A")["organization_tuid"]!;
    const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
    const token = verb(env, "token", "create", "--org", org)["access_token"]!;
    const dataDirs = [0, 1].map(() => {
      const dataDir = mkdtempSync(join(tmpdir(), "datarun-replica-"));
      t.after(() => rmSync(dataDir, { recursive: true, force: true }));
      return dataDir;
    });
    const start = (at: number, root: string) =>
      startCommand(t, [], { ...env, DATARUN_DATA_DIR: dataDirs[at]! }, { root });
    const replicas: CommandService[] = [await start(0, older), await start(1, newer)];

    const answered: string[] = [];
    let isOver = false;
    t.after(() => (isOver = true));
    const body = JSON.stringify({ config: { sources: { acme__quick: true } }, inputs: {} });
    const headers = {
      "content-type": "application/json",
      "x-service-access-token": token,
      "x-service-workflow": workflow,
    };
    async function ask(at: number): Promise<void> {
      while (!isOver) {
        // Of a request whose connection the kill has closed, nobody knows the outcome.
        const reply = await fetch(`${replicas[at]!.url}/data`, { method: "POST", headers, body }).catch(() => null);
        const text = await reply?.text().catch(() => null);
        if (reply === null || text === null || text === undefined)
          await new Promise((resolve) => setTimeout(resolve, 20));
        else {
          assert.equal(reply.status, 200, text);
          answered.push((JSON.parse(text) as { readonly transaction_id: string }).transaction_id);
        }
      }
    }
    const clients = [0, 1].flatMap((at) => Array.from({ length: 2 }, () => ask(at)));
    // Each of them continues on what a kill of the other has left, while the other runs.
    for (const [at, root] of [newer, older].entries()) {
      const enough = answered.length + 40;
      await until(() => answered.length > enough);
      const victim = replicas[at]!;
      victim.signal("SIGKILL");
      await victim.ended;
      replicas[at] = await start(at, root);
    }
    const enough = answered.length + 40;
    await until(() => answered.length > enough);
    isOver = true;
    await Promise.all(clients);
    for (const replica of replicas) {
      replica.signal("SIGTERM");
      assert.equal((await replica.ended).code, 0);
    }

    const ledger = new Map(
      (await readSharedLedger(env.DATABASE_URL)).map((rows) => [rows.run["transaction_id"], rows]),
    );
    for (const id of answered) assert.equal(ledger.get(id)?.run["state"], "ended", `${id} was answered`);
    const attempts = Array.from(ledger.values()).reduce((sum, rows) => sum + rows.attempts.length, 0);
    assert.ok(vendor.count() <= attempts, `the vendor was called ${vendor.count()} times, the ledger has ${attempts}`);
    for (const root of [older, newer])
      for (const dataDir of dataDirs) assertVerified(root, { ...env, DATARUN_DATA_DIR: dataDir });
  });
}
