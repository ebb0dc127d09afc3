import { Type } from "../../../terms/schema/type.ts";
import { priceText } from "../../../ledger/read/costs.ts";
import { CHARGE_CURSOR, cursorOfCharge } from "../../../ledger/read/unknown-charges.ts";
import { credentialNamesOf, namesOf } from "../../names-of.ts";
import { nextCursor, pagedByCursor, readPage } from "../../pagination.ts";
import { count, orNull, rowsOf, text, time, toWireTime } from "../../result-schemas.ts";
import { givenOf } from "../../shared-inputs.ts";
import { chargeOf, toUnknownFilter, unknownFilterInputs } from "../../unknown-charges.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "List the requests whose charge is unknown",
  description:
    'The oldest come first. Compare them with the vendors\' invoices and settle them with "datarun ledger reconcile", or many at once with "datarun ledger settle-unknown". Simulated runs are left out.',
  example: "--limit 20",
  input: { ...unknownFilterInputs, ...pagedByCursor(CHARGE_CURSOR.source) },
  role: "viewer",
  changes: false,
  needs: ["ledger", "store"],

  result: Type.Object({
    requests: rowsOf({
      charge: { ...text, description: "What `ledger settle-unknown` takes" },
      transaction_id: text,
      call: count,
      attempt: { ...orNull(count), description: "`null`: of the call no request is recorded" },
      source: text,
      sent_at: time,
      price: orNull(text),
      currency: orNull(text),
      organization_tuid: text,
      organization: { ...orNull(text), description: "Its current name" },
      cred_id: orNull(text),
      cred_name: orNull(text),
      rule: text,
      method: orNull(text),
      origin: orNull(text),
      fault: orNull(text),
    }),
    ...nextCursor,
  }),

  async run({ limit, after, ...selection }, { ledger, store, note }) {
    const open = await ledger();
    const filter = toUnknownFilter(selection);
    const page = givenOf({ limit, after });
    const { lines, next } = await readPage(page, note, cursorOfCharge, (asked) => open.unknown({ ...asked, filter }));
    const organizations = await namesOf(
      lines.map((line) => line.organization_id),
      store,
    );
    const credentials = await credentialNamesOf(
      lines.map((line) => line.credential_id),
      store,
    );
    return {
      requests: lines.map((request) => ({
        charge: chargeOf(request),
        transaction_id: request.transaction_id,
        call: request.ordinal,
        attempt: request.attempt,
        source: request.source,
        sent_at: toWireTime(request.sent_at),
        price: priceText(request.price),
        currency: request.currency,
        organization_tuid: request.organization_id,
        organization: organizations.get(request.organization_id)?.name || null,
        cred_id: request.credential_id,
        cred_name: credentials.get(request.credential_id) ?? null,
        rule: request.credential_rule,
        method: request.method,
        origin: request.origin,
        fault: request.fault_code,
      })),
      ...next,
    };
  },

  columns: {
    requests: [
      "transaction_id",
      "call",
      "attempt",
      "source",
      "sent_at",
      "price",
      "currency",
      "organization",
      "organization_tuid",
      "cred_name",
      "cred_id",
      "rule",
      "method",
      "origin",
      "fault",
      "charge",
    ],
  },
});
