import { Type } from "../../../terms/type.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Copy the embedded store of --data-dir, and its ledger, to the empty database of DATABASE_URL",
  description:
    "For a deployment that goes over to PostgreSQL. No service may run on the data directory, and none on the database. The store is copied in one piece or not at all, and what was written is read back and compared; then the ledger is carried over, which `ledger drain` goes on with if it is broken off. DATARUN_ROOT_KEY has to hold the root key of the key file. The embedded store stays as it is. There is no copy in the other direction.",
  example: "--data-dir /var/lib/datarun",
  input: Type.Object({}, { additionalProperties: false }),
  changes: true,
  needs: ["copyStore"],

  async run(_input, { act, copyStore }) {
    const { rows, ledgerRuns } = await copyStore(act);
    return { ...rows, ledger_runs: ledgerRuns };
  },
});
