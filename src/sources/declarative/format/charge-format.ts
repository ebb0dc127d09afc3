import type { Static } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import { CHARGE_MODELS } from "../../../terms/money/charge.ts";
import { closed, text, words } from "./format-words.ts";

/** The part of the format that says what the vendor bills. */

const OVER = "JMESPath over `inputs`, `status`, `headers` and `body`.";

const amount = Type.Optional(
  Type.Number({
    minimum: 0,
    description:
      "The list price of one charge, with at most six decimals, for credentials without a price of their own. In a list, 0 means that the request is not billed.",
  }),
);
const currency = Type.Optional(
  Type.String({
    pattern: "^[A-Z]{3}$",
    description: "Its currency, a code of ISO 4217 such as `EUR`. All rows of a list have the same.",
  }),
);

const Row = Type.Object(
  {
    when: Type.Optional(text(`The condition. Only the last row may have none. ${OVER}`)),
    model: Type.Optional(words(CHARGE_MODELS, "In the last row: what is billed. `per_call` by default.")),
    amount,
    currency,
  },
  {
    ...closed,
    minProperties: 1,
    description: "In a list, the first row that applies counts. If none does, the request is billed.",
  },
);

export const Charge = Type.Union(
  [
    words(CHARGE_MODELS, "Only the model."),
    Type.Object(
      {
        model: words(CHARGE_MODELS, "What is billed."),
        when: Type.Optional(text(`The condition under which a request is billed; otherwise it is free. ${OVER}`)),
        amount,
        currency,
      },
      closed,
    ),
    Type.Array(Row, { minItems: 1 }),
  ],
  {
    description:
      "What the vendor bills: nothing, every request, every request that it completes, or a record. `per_call` by default.",
  },
);

export type ChargeFile = Static<typeof Charge>;
export type ChargeRowFile = Static<typeof Row>;
