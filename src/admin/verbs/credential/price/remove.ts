import { Type } from "../../../../terms/schema/type.ts";
import { OperatorError } from "../../../../terms/operator-error.ts";
import { credentialInput } from "../../../shared-inputs.ts";
import { aboveInput, begins, dayInput, requireDay } from "../../../price-wire.ts";
import { requireCredential } from "../../../require.ts";
import { count, text } from "../../../result-schemas.ts";
import { defineVerb } from "../../../verb.ts";

export default defineVerb({
  summary: "Remove a price that was set by mistake, with its steps",
  description:
    "With --above only that step is removed. Requests that were sent keep the price that they recorded. Do not remove the price of a contract that ends: set the price of the next contract from the day on which it begins.",
  example: "cred_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --from 2026-01-01",
  input: { cred_id: credentialInput, from: dayInput, above: Type.Optional(aboveInput) },
  positional: ["cred_id"],
  role: "owner",
  changes: true,
  needs: ["store"],

  result: Type.Object({ cred_id: text, removed: count }),

  async run({ cred_id, from, above }, { act, store }) {
    requireDay(from);
    const open = await store();
    const credential = await requireCredential(open, cred_id);
    const removed = await open.removePrices(
      act,
      credential,
      (term) => begins(term, from) && (above === undefined || term.above === above),
    );
    if (removed === null) {
      throw new OperatorError(
        "not_found",
        'There is no such price. "datarun credential price list" shows those that exist.',
      );
    }
    return { cred_id, removed };
  },
});
