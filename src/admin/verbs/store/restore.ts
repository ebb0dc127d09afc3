import { Type } from "../../../terms/schema/type.ts";
import type { RestoredStore } from "../../ports.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Restore a backup into an empty data directory",
  description:
    "DIR is one folder that `store backup` has made. Its files are compared with the checksums of its manifest, and nothing is restored if one differs. The data directory has to be empty, except for the root key file, which can be put there before or after. The next start records calls that were in progress during the backup as unknown. What the service had leased of budgets when the backup was made counts as used until the period ends. Runs that were answered after the backup began may be missing.",
  example: "/var/backups/datarun/datarun-2026-11-27T03-00-00-000Z --data-dir /var/lib/datarun",
  input: { dir: Type.String({ minLength: 1, maxLength: 4_000, description: "The folder of the backup" }) },
  positional: ["dir"],
  role: "owner",
  terminalOnly: true,
  changes: true,
  needs: ["restoreStore"],
  interrupted: "Nothing can be used yet. Empty the data directory, and give the same command again.",

  async run({ dir }, { act, note, onProgress, restoreStore }) {
    const { dataDir, store, bytes, beganAt, rootKey } = await restoreStore(dir, act, onProgress);
    if (store === "embedded") note(keyNote(rootKey, dataDir));
    return { data_dir: dataDir, began_at: beganAt, store, bytes, root_key: rootKey };
  },
});

function keyNote(rootKey: RestoredStore["rootKey"], dataDir: string): string {
  if (rootKey === "restored") return "The root key came with the backup. Check it with: datarun keys verify";
  if (rootKey === "present")
    return `The root key file that was in ${dataDir} stays. Check it with: datarun keys verify`;
  return `The backup has no root key. Before the start, put the root key file (root-1.key, mode 0600) into ${dataDir}, or set DATARUN_ROOT_KEY if the key was given there. Then check it with: datarun keys verify`;
}
