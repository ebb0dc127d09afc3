import { Type } from "../../../terms/type.ts";
import type { Drained } from "../../../ledger/drain/drain-journal.ts";
import type { JsonObject } from "../../../terms/json.ts";
import { momentInput, toMoment } from "../../ledger-inputs.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Carry a dead machine's runs to the shared ledger",
  description:
    "For a data directory whose service will not start again; a service that starts does this by itself. Calls that were in progress when it died get an unknown charge. The command is refused while a service uses the directory. With --again, runs of the last day, which were sent but are still here, are sent once more, for a database that was restored from an older copy. This may be done on each machine while its service runs.",
  example: "--data-dir /mnt/volume-of-replica-3",
  input: Type.Object(
    {
      again: Type.Optional(Type.Boolean({ description: "Send runs once more that have been sent already" })),
      since: Type.Optional(
        momentInput("With --again: only runs that started then or later; a day begins at midnight UTC"),
      ),
    },
    { additionalProperties: false },
  ),
  role: "owner",
  terminalOnly: true,
  changes: true,
  needs: ["store", "drainLedger"],
  interrupted: "What was sent is in the shared ledger. Give the same command again to send the rest.",

  async run({ again = false, since }, { act, drainLedger, store, onProgress }) {
    if (since !== undefined && !again) throw new OperatorError("usage", "--since can only be used with --again.");
    const startedFrom = since === undefined ? 0 : toMoment(since);
    const drained = await drainLedger(onProgress, again ? { startedFrom } : undefined);
    const detail = { ...drained };
    await (await store()).recordAct(act, { organizationId: null, subjectId: "ledger", detail });
    return detail;
  },

  hasFailed: ({ damaged = 0 }: Drained & JsonObject) => damaged > 0,
});
