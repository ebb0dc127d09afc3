import { Type } from "typebox";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Carry a dead machine's runs to the shared ledger",
  description:
    "For a data directory whose service will not start again: a service that starts does it by itself. Calls that were under way when it died are recorded as unknown. Refused while a service uses the directory.",
  example: "--data-dir /mnt/volume-of-replica-3",
  input: Type.Object({}, { additionalProperties: false }),
  changes: true,

  async run(_, { act, drainLedger, store }) {
    const drained = await drainLedger();
    const detail = { ...drained };
    await (await store()).recordAct(act, { organizationId: null, subjectId: "ledger", detail });
    return detail;
  },
});
