import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Copy the embedded store of --data-dir, and its ledger, to the empty database of DATABASE_URL",
  description:
    "For moving a deployment to PostgreSQL. No service may run on the data directory or on the database. The store is copied completely or not at all, and the copy is read back and compared. Then the ledger is copied; if that is interrupted, `ledger drain` continues it. DATARUN_ROOT_KEY has to be the root key of the key file. The embedded store is not changed. There is no copy in the other direction.",
  example: "--data-dir /var/lib/datarun",
  input: {},
  role: "owner",
  terminalOnly: true,
  changes: true,
  needs: ["copyStore"],
  interrupted:
    "The store is copied completely or not at all: if the database is still empty, give the same command again. If only the ledger is not complete: datarun ledger drain",

  async run(_input, { act, copyStore, onProgress }) {
    const { rows, ledgerRuns } = await copyStore(act, onProgress);
    return { ...rows, ledger_runs: ledgerRuns };
  },
});
