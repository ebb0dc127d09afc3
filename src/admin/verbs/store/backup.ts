import { Type } from "../../../terms/schema/type.ts";
import { recordBeforeAndAfter } from "../../record-before-and-after.ts";
import { count, listOf, oneOf, text, time, toWireTime } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Back up the data directory while the service runs",
  description:
    "Makes a folder in DIR, named by the time, with the store, the ledger, and a manifest with checksums. Every run that was answered before the command began is in it. It gets its name when it is complete: a folder whose name ends in .incomplete is not a backup. No service has to run. The backup has no root key unless --include-root-key is given: without the key its credentials cannot be opened, so keep a copy of the key elsewhere. With PostgreSQL the backup has only the journal of this data directory, with the runs that the database does not have yet: back up the database with pg_dump or with continuous archiving. Over the admin API, DIR is an absolute path on the machine of the service, which writes there as its own user.",
  example: "/var/backups/datarun --keep 7",
  input: {
    dir: Type.String({ minLength: 1, maxLength: 4_000, description: "The folder that backups are kept in" }),
    keep: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: "Removes older complete backups of the same data directory, so that this many are left",
      }),
    ),
    include_root_key: Type.Optional(
      Type.Boolean({
        description: "Also copies the root key files: anyone who reads such a backup can open its credentials",
      }),
    ),
  },
  positional: ["dir"],
  role: "owner",
  terminalOnly: ["include_root_key"],
  changes: true,
  needs: ["store", "backUpStore"],
  interrupted: "There is no new backup, and older ones are as they were. Give the same command again.",

  nothing: { removed: "no older backup removed" },

  result: Type.Object({
    backup: text,
    began_at: time,
    store: oneOf("embedded", "postgresql"),
    bytes: count,
    removed: listOf(text),
  }),

  async run({ dir, keep, include_root_key: includeRootKey = false }, call) {
    const { act, backUpStore, note, onProgress } = call;
    const detail = { dir, include_root_key: includeRootKey, ...(keep !== undefined && { keep }) };
    return recordBeforeAndAfter(call, { subjects: ["store"], detail }, async () => {
      const request = { dir, keep, includeRootKey, wallAt: act.wallAt };
      const { folder, store, bytes, removed } = await backUpStore(request, onProgress);
      if (store === "postgresql") note(ONLY_JOURNAL);
      return { backup: folder, began_at: toWireTime(act.wallAt), store, bytes, removed: [...removed] };
    });
  },
});

const ONLY_JOURNAL =
  "The store is in PostgreSQL, and this is only the journal of this data directory. Back up the database with pg_dump, or with continuous archiving and point-in-time recovery.";
