import { setImmediate as nextTurn } from "node:timers/promises";
import type { AccessStore, TokenRow } from "../access/ports.ts";
import type { Workflow } from "../terms/caller.ts";
import type { Clock } from "../terms/time/clock.ts";
import { answerInTime } from "./answer-in-time.ts";
import type { Engine } from "./engine.ts";
import { gatherLookups } from "./gather-lookups.ts";
import { toWorkflow } from "./rows.ts";

/** Looks up tokens and workflows for authentication. */
export function createAccessStore(engine: Engine, clock: Clock): AccessStore {
  const tokens = gatherLookups(
    clock,
    (row: TokenRow) => row.digest,
    async (digests) => {
      const rows = await engine.reader
        .selectFrom("tokens")
        .innerJoin("organizations", "organizations.id", "tokens.organization_id")
        .select(["tokens.id", "organization_id", "digest", "expires_wall_at", "revoked_wall_at", "disabled"])
        .where("digest", "in", digests)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        organizationId: row.organization_id,
        digest: row.digest,
        expiresWallAt: row.expires_wall_at,
        revoked: row.revoked_wall_at !== null,
        organizationDisabled: row.disabled === 1,
      }));
    },
  );
  const workflows = gatherLookups(
    clock,
    (row: Workflow) => row.id,
    async (ids) => {
      const rows = await engine.reader.selectFrom("workflows").selectAll().where("id", "in", ids).execute();
      return rows.map(toWorkflow);
    },
  );

  return {
    findToken: (digest) => answerInTime(engine, clock, () => tokens(digest)),
    findWorkflow: (id) => answerInTime(engine, clock, () => workflows(id)),

    version: () => engine.version(),

    markUsed: async (uses) => {
      await engine.ready();
      // In the order of ids, so that two replicas that record the same tokens cannot deadlock.
      const ordered = uses.toSorted((a, b) => Number(a.tokenId > b.tokenId) - Number(a.tokenId < b.tokenId));
      for (let at = 0; at < ordered.length; at += USES_AT_ONCE) {
        await noteUses(engine, ordered.slice(at, at + USES_AT_ONCE));
        await nextTurn();
      }
    },
  };
}

/** SQLite works on the service's main thread, so a long batch lets other requests run after this many rows. */
const USES_AT_ONCE = 100;

async function noteUses(engine: Engine, uses: Parameters<AccessStore["markUsed"]>[0]): Promise<void> {
  await engine.unsyncedWriter.transaction().execute(async (transaction) => {
    for (const { tokenId, wallAt } of uses) {
      await transaction
        .updateTable("tokens")
        .set({ last_used_wall_at: wallAt })
        .where("id", "=", tokenId)
        // Replicas report in any order. The latest time wins.
        .where((row) => row.or([row("last_used_wall_at", "is", null), row("last_used_wall_at", "<", wallAt)]))
        .execute();
    }
  });
}
