import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { systemClock } from "../terms/time/clock.ts";
import { createAdminStore } from "./admin-store.ts";
import { ACT } from "./engines.kit.ts";
import { openEngine } from "./store.ts";

/** More rows than are searched for a text anywhere in the name. */
const NEWER = 2_500;

test("an old name among thousands is found by its beginning, in whatever form either was typed", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-finder-"));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const engine = await openEngine({ dataDir, clock: systemClock });
  t.after(() => engine.close());
  await engine.ready();
  const admin = createAdminStore(engine);
  const names = ["Café Noir", "Cafe\u0301 Blanc", "ΟΔΟΣΑ", "Łódź \ufb01"];
  for (const [at, name] of names.entries())
    await admin.createOrganization(ACT, { id: `org_${at}`, name, createdWallAt: 1 });
  await sql`insert into organizations (id, name, name_key, disabled, created_wall_at)
    with recursive n(at) as (select 1 union all select at + 1 from n where at < ${NEWER})
    select 'org_new_' || at, 'x', '78', 0, 1 from n`.execute(engine.writer);
  const found = async (text: string) => new Set((await admin.findByName(text, 20)).map(({ name }) => name));

  for (const text of ["café", "cafe\u0301", "CAFÉ", "CAFE\u0301"])
    assert.deepEqual(await found(text), new Set([names[0], names[1]]), text);
  for (const text of ["ΟΔΟΣ", "οδοσ", "οδος", "ΟΔΟΣΑ"]) assert.deepEqual(await found(text), new Set([names[2]]), text);
  assert.deepEqual(await found("łódź"), new Set([names[3]]));

  // Also tokens, however many revoked ones are newer, and tokens that are not found by name.
  const token = { organizationId: "org_0", createdWallAt: 1, expiresWallAt: null };
  for (const [id, name] of [
    ["tok_1", "Server of Zürich"],
    ["tok_2", "Server, old"],
  ] as const)
    await admin.createToken(ACT, { ...token, id, name, digest: id });
  await admin.revokeToken(ACT, { id: "tok_2" });
  await sql`insert into tokens (id, organization_id, name, digest, created_wall_at, revoked_wall_at)
    with recursive n(at) as (select 1 union all select at + 1 from n where at < ${NEWER})
    select 'tok_new_' || at, 'org_0', 'operator run', 'd' || at, 1, 1 from n`.execute(engine.writer);
  assert.deepEqual(await found("server"), new Set(["Server of Zürich"]));
  assert.deepEqual(await found("ZÜRICH"), new Set(["Server of Zürich"]));
});
