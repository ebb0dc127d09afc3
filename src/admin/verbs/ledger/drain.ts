import { Type } from "../../../terms/type.ts";
import type { Drained } from "../../../ledger/drain/drain-journal.ts";
import type { JsonObject } from "../../../terms/json.ts";
import { momentInput, toMoment } from "../../ledger-inputs.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Carry a dead machine's runs to the shared ledger",
  description:
    "For a data directory whose service will not start again: a service that starts does it by itself. Calls that were under way when it died are recorded as unknown. Refused while a service uses the directory. With --again it sends what has gone out and is still here, a day's runs, once more, for a database that was restored from an older copy; that may be done while the service runs, on each machine.",
  example: "--data-dir /mnt/volume-of-replica-3",
  input: Type.Object(
    {
      again: Type.Optional(Type.Boolean({ description: "Send what has gone out already once more" })),
      since: Type.Optional(
        momentInput("With --again: only runs that started from then on; a day begins at midnight UTC"),
      ),
    },
    { additionalProperties: false },
  ),
  changes: true,
  needs: ["store", "drainLedger"],

  async run({ again = false, since }, { act, drainLedger, store }) {
    if (since !== undefined && !again) throw new OperatorError("usage", "--since goes with --again.");
    const startedFrom = since === undefined ? 0 : toMoment(since);
    const drained = await drainLedger(again ? { startedFrom } : undefined);
    const detail = { ...drained };
    await (await store()).recordAct(act, { organizationId: null, subjectId: "ledger", detail });
    return detail;
  },

  hasFailed: ({ damaged = 0 }: Drained & JsonObject) => damaged > 0,
});
