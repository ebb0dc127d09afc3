import type { Static } from "typebox";
import { Type } from "../../../terms/type.ts";
import { CHARGE_MODELS } from "../../../terms/charge.ts";
import { closed, text, words } from "./format-words.ts";

/** The part of the format that says what the vendor bills. */

const OVER =
  "JMESPath over `inputs`, `status`, `headers` and `body`. One that is about inputs alone is known before anything is sent.";

const amount = Type.Optional(
  Type.Number({
    minimum: 0,
    description:
      "What one costs by the contract, for whoever reads the file. Sums count requests, not money. In a list 0 is not billed.",
  }),
);
const currency = Type.Optional(Type.String({ pattern: "^[A-Z]{3}$", description: "Of `amount`: three letters." }));

const Row = Type.Object(
  {
    when: Type.Optional(text(`What must hold. Left out in the last row alone, which is for all the rest. ${OVER}`)),
    model: Type.Optional(words(CHARGE_MODELS, "In the last row: what is billed. `per_call` unless said.")),
    amount,
    currency,
  },
  {
    ...closed,
    minProperties: 1,
    description: "Of a list the first row that holds counts; where none does, it is billed.",
  },
);

export const Charge = Type.Union(
  [
    words(CHARGE_MODELS, "The model alone."),
    Type.Object(
      {
        model: words(CHARGE_MODELS, "What is billed."),
        when: Type.Optional(text(`What must hold for a request to be billed so; otherwise it is free. ${OVER}`)),
        amount,
        currency,
      },
      closed,
    ),
    Type.Array(Row, { minItems: 1 }),
  ],
  {
    description:
      "What the vendor bills: nothing, every request, every request that it completes, or a record. `per_call` unless said.",
  },
);

export type ChargeFile = Static<typeof Charge>;
export type ChargeRowFile = Static<typeof Row>;
