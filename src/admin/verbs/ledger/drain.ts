import type { Drained } from "../../../ledger/drain/drain-journal.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Send a dead machine's runs to the shared ledger",
  description:
    "For a data directory whose service will not start again; a service that starts does this by itself. Calls that were in progress when it died get an unknown charge. The command is refused while a service uses the directory.",
  example: "--data-dir /mnt/volume-of-replica-3",
  input: {},
  role: "owner",
  terminalOnly: true,
  changes: true,
  needs: ["store", "drainLedger"],
  interrupted: "The runs sent so far are in the shared ledger. Give the same command again to send the rest.",

  async run(_, { act, drainLedger, store, onProgress }) {
    const detail = { ...(await drainLedger(onProgress)) };
    await (await store()).recordAct(act, { organizationId: null, subjectId: "ledger", detail });
    return detail;
  },

  hasFailed: ({ damaged = 0 }: Drained & JsonObject) => damaged > 0,
});
