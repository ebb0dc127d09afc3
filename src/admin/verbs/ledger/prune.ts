import { Type } from "../../../terms/schema/type.ts";
import { momentInput, toMoment } from "../../ledger-inputs.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { recordBeforeAndAfter } from "../../record-before-and-after.ts";
import { count, toWireTime } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Delete old runs from the ledger for good",
  description:
    "Runs with unknown charges stay unless --unknown-too is given. Runs that have not reached the shared database always stay, and in a journal those that started in the last ten minutes, because they may not have ended. The service may run meanwhile.",
  example: "--before 2025-01-01",
  input: {
    before: momentInput("Deletes runs that started before then; a day begins at midnight UTC"),
    unknown_too: Type.Optional(Type.Boolean({ description: "Also deletes runs with unsettled charges" })),
  },
  role: "owner",
  changes: true,
  needs: ["store", "ledger"],
  interrupted: "Deleted runs stay deleted. Give the same command again to delete the rest.",

  result: Type.Object({ deleted: count, kept_unknown: count, kept_undrained: count }),

  async run({ before, unknown_too = false }, call) {
    const startedBefore = toMoment(before);
    if (startedBefore > call.act.wallAt) throw new OperatorError("invalid", "--before must not be in the future.");
    const ledger = await call.ledger();
    const detail = { before: toWireTime(startedBefore), unknown_too };
    return recordBeforeAndAfter(call, { subjects: ["ledger"], detail }, async () => ({
      ...(await ledger.prune(startedBefore, { unknownToo: unknown_too, onProgress: call.onProgress })),
    }));
  },
});
