import { Type } from "../../../terms/schema/type.ts";
import { priceText } from "../../../ledger/read/costs.ts";
import { CHARGE_CURSOR, cursorOfCharge } from "../../../ledger/read/unknown-charges.ts";
import { nextCursor, pagedByCursor, readPage } from "../../pagination.ts";
import { count, listOf, orNull, text, time } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import { toWireTime } from "../../wire-time.ts";

export default defineVerb({
  summary: "List the requests whose charge is unknown",
  description:
    'The oldest come first. Compare them with the vendors\' invoices and settle them with "datarun ledger reconcile". Simulated runs are left out.',
  example: "--limit 20",
  input: Type.Object(pagedByCursor(CHARGE_CURSOR.source), { additionalProperties: false }),
  role: "viewer",
  changes: false,
  needs: ["ledger"],

  result: Type.Object({
    requests: listOf(
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
    ...nextCursor,
  }),

  async run(page, { ledger, note }) {
    const open = await ledger();
    const { lines, next } = await readPage(page, note, cursorOfCharge, (asked) => open.unknown(asked));
    return {
      requests: lines.map((request) => ({
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
      ...next,
    };
  },
});
