import type { Static } from "typebox";
import { Type } from "../../../terms/type.ts";
import { ErrorRow, Request } from "./exchange-format.ts";
import { closed, text } from "./format-words.ts";

/** What a file says of a source that takes several requests. */

export const STEPS_MAX = 8;

const ofStep = (description: string) =>
  text(`${description} JMESPath over \`status\`, \`headers\` and \`body\` of its answer, and \`steps\`, those before.`);

const Step = Type.Object(
  {
    name: Type.String({
      pattern: "^[a-z][a-z0-9_]*$",
      description:
        "What later requests and expressions know its answer by: `steps.<name>.body`, `.status`, `.headers`.",
    }),
    when: Type.Optional(
      text(
        "What must hold for it to be made; else it is left out, and its answer is `null`. JMESPath over `inputs` and `steps`.",
      ),
    ),
    request: Request,
    free: Type.Optional(Type.Boolean({ description: "The vendor never bills this request. False unless said." })),
    answers: Type.Optional(
      Type.Array(Type.Integer({ minimum: 400, maximum: 599 }), {
        minItems: 1,
        description: "Statuses besides 2xx after which the next step is made. Any other is a failure, as everywhere.",
      }),
    ),
    order_id: Type.Optional(
      ofStep(
        "The vendor's number for what it has taken up. Later requests say `{{ order_id }}`; a source that fails after this names it.",
      ),
    ),
    errors: Type.Optional(
      Type.Array(ErrorRow, { description: "Failures that its answer reports, looked at before the file's `errors`." }),
    ),
    match: Type.Optional(
      Type.Object(
        { no_record: ofStep("True when its answer says that there is no record: nothing more is asked.") },
        { ...closed, description: "What ends the source early." },
      ),
    ),
  },
  closed,
);

export const Steps = Type.Array(Step, {
  minItems: 1,
  maxItems: STEPS_MAX,
  description:
    "Several requests, one after the other, in place of `request`: at most eight, each made once. `match`, `map` and `output` are about the last answer, and may read `steps`.",
});

export type StepFile = Static<typeof Step>;
