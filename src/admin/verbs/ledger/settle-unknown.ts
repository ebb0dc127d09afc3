import { hash } from "node:crypto";
import { priceText } from "../../../ledger/read/costs.ts";
import type { LedgerAnswers } from "../../../ledger/read/ledger-reader.ts";
import { type UnknownCharge, type UnknownFilter, unknownChargesOf } from "../../../ledger/read/unknown-charges.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { Type } from "../../../terms/schema/type.ts";
import {
  allUnknownCharges,
  chargeOf,
  UNKNOWN_CHARGE,
  unknownFilterInputs,
  toUnknownFilter,
} from "../../unknown-charges.ts";
import { count, oneOf, orNull, rowsOf, text, time, toWireTime, yesOrNo } from "../../result-schemas.ts";
import {
  applyInput,
  INTERRUPTED,
  limitInput,
  SETTLED_AT_ONCE,
  settleCharges,
  settledTotals,
  wireSettledTotals,
} from "../../settle-charges.ts";
import { noteInput } from "../../shared-inputs.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Settle many unknown charges in the same way",
  description: `Select them one by one with --charge, or all of a source in a time with --source, --from and --to. Without --apply it shows what it would settle. With --apply, each charge is settled as "datarun ledger reconcile" does it, at its recorded price, with its entries in the audit trail and in budgets. Charges that are no longer unknown are left as they are. At most --limit charges are settled, the oldest first; given again, the command continues with the rest.`,
  example:
    '--source acme__people --from 2026-03-10 --to 2026-03-11 --charged no --note "the vendor was down that day" --apply',
  input: {
    charge: Type.Optional(
      Type.Array(
        Type.String({
          pattern: UNKNOWN_CHARGE.source,
          "x-says": "must be a charge as `ledger unknown` names it, such as trx_…:0:1",
        }),
        {
          minItems: 1,
          maxItems: SETTLED_AT_ONCE,
          uniqueItems: true,
          description: "A charge, as `ledger unknown` names it: the run, the number of the call, and of the request",
          "x-placeholder": "RUN:CALL:REQUEST",
        },
      ),
    ),
    ...unknownFilterInputs,
    charged: Type.Enum(["yes", "no"], { description: "Whether the vendor charged for them" }),
    note: noteInput("The reason, such as what the vendor said", 500),
    limit: limitInput,
    apply: applyInput,
  },
  role: "operator",
  changes: true,
  needs: ["store", "ledger"],
  interrupted: INTERRUPTED,

  result: Type.Object({
    applied: yesOrNo,
    settled: count,
    to_settle: { ...count, description: "How many more are selected, counted up to 10,000" },
    charges: rowsOf({
      charge: text,
      source: text,
      sent_at: time,
      charged: oneOf("yes", "no"),
      price: orNull(text),
      currency: orNull(text),
    }),
    totals: wireSettledTotals,
    changed_budgets: Type.Optional(text),
  }),

  async run({ charged, note: reason, limit = SETTLED_AT_ONCE, apply = false, ...selection }, call) {
    const reader = await call.ledger();
    const found = await select(selection, reader);
    const chosen = found.slice(0, limit).map((charge) => ({ charge, charged }));
    const plan = { charges: chosen.map(({ charge }) => toWire(charge, charged)), totals: settledTotals(chosen) };
    if (!apply) {
      if (chosen.length > 0)
        call.note("Nothing was settled. To settle these charges, give the same command with --apply.");
      return { applied: false, settled: 0, to_settle: found.length, ...plan };
    }
    // The digest lets a repeated command continue an interrupted one.
    const digest = hash("sha256", JSON.stringify([charged, selection]), "hex");
    const mark = { name: "selection", digest } as const;
    const { settled, budgets } = await settleCharges(chosen, { mark, reason }, call, reader);
    const left = found.length - chosen.length;
    if (left > 0) call.note(`${left} more are selected. Give the same command again to settle them.`);
    return {
      applied: true,
      settled,
      to_settle: left,
      ...plan,
      ...(budgets.length > 0 && { changed_budgets: budgets.join(", ") }),
    };
  },

  nothing: { charges: "No charge of these is unknown.", totals: "" },
});

type Selection = Parameters<typeof toUnknownFilter>[0] & { readonly charge?: readonly string[] | undefined };

/** The selected charges that are unknown, oldest first. @throws OperatorError */
async function select({ charge: names, ...rest }: Selection, reader: LedgerAnswers): Promise<readonly UnknownCharge[]> {
  const filter = toUnknownFilter(rest);
  if (names === undefined) return allUnknownCharges(reader, requireNarrow(filter), FOUND_MAX);
  if (Object.keys(filter).length > 0)
    throw new OperatorError("usage", "Give either --charge, or --source with --from and --to.");
  const wanted = new Set(names);
  const found: UnknownCharge[] = [];
  const runs = new Set(names.map((name) => name.slice(0, name.indexOf(":"))));
  for (const run of runs) {
    const report = await reader.show(run);
    if (report !== null) found.push(...unknownChargesOf(report).filter((charge) => wanted.has(chargeOf(charge))));
  }
  return found.toSorted((one, other) => one.started_at - other.started_at);
}

const FOUND_MAX = 10_000;

/** All charges of every source are too many to settle by mistake. */
function requireNarrow(filter: UnknownFilter): UnknownFilter {
  if (filter.source === undefined || filter.from === undefined || filter.to === undefined)
    throw new OperatorError("usage", "Give --charge, or --source with --from and --to.");
  return filter;
}

function toWire(charge: UnknownCharge, charged: "yes" | "no") {
  return {
    charge: chargeOf(charge),
    source: charge.source,
    sent_at: toWireTime(charge.sent_at),
    charged,
    price: priceText(charge.price),
    currency: charge.currency,
  };
}
