import { Type } from "typebox";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Sum up a month by source and credential, to hold against the vendors' invoices",
  description:
    "One line for each source, organization and credential. Counts requests that were sent in that month, UTC. Simulated runs send none and are left out.",
  example: "2026-03",
  input: Type.Object(
    {
      month: Type.String({
        pattern: String.raw`^\d{4}-(0[1-9]|1[0-2])$`,
        description: "Year and month",
        "x-says": "must be a year and a month, such as 2026-03",
      }),
    },
    { additionalProperties: false },
  ),
  positional: ["month"],
  changes: false,

  async run({ month }, { ledger }) {
    const lines = await (await ledger()).summary(month);
    return {
      charges: lines.map((line) => ({
        source: line.source,
        organization_tuid: line.organization_id,
        cred_id: line.credential_id,
        credential: line.credential,
        requests: line.requests,
        charged: line.charged_yes,
        not_charged: line.charged_no,
        unknown: line.charged_unknown,
      })),
    };
  },
});
