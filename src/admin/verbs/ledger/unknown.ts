import { Type } from "../../../terms/type.ts";
import { priceText } from "../../../ledger/read/costs.ts";
import { count, listed, orNull, text, time } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import { toWireTime } from "../../wire-time.ts";

export default defineVerb({
  summary: "List the requests whose charge is unknown",
  description:
    'The oldest come first. Compare them with the vendors\' invoices and settle them with "datarun ledger reconcile". Simulated runs are left out.',
  example: "--limit 20",
  input: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10_000, description: "How many to show; 100 by default" }),
      ),
    },
    { additionalProperties: false },
  ),
  role: "viewer",
  changes: false,
  needs: ["ledger"],

  result: listed(
    "requests",
    Type.Object({
      transaction_id: text,
      call: count,
      attempt: count,
      source: text,
      sent_at: time,
      price: orNull(text),
      currency: orNull(text),
      organization_tuid: text,
      cred_id: orNull(text),
      rule: text,
      method: text,
      origin: text,
      fault: orNull(text),
    }),
  ),

  async run({ limit = 100 }, { ledger, note }) {
    const requests = await (await ledger()).unknown(limit + 1);
    if (requests.length > limit) note("There are more. Settle these, or give a higher --limit, to see the others.");
    return {
      requests: requests.slice(0, limit).map((request) => ({
        transaction_id: request.transaction_id,
        call: request.ordinal,
        attempt: request.attempt,
        source: request.source,
        sent_at: toWireTime(request.sent_at),
        price: priceText(request.price),
        currency: request.currency,
        organization_tuid: request.organization_id,
        cred_id: request.credential_id,
        rule: request.credential_rule,
        method: request.method,
        origin: request.origin,
        fault: request.fault_code,
      })),
    };
  },
});
