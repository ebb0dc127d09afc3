import type { Static } from "typebox";
import { Type } from "../../../terms/type.ts";
import { ErrorRow, Request } from "./exchange-format.ts";
import { closed, text } from "./format-words.ts";

/** The part of the format for sources that need several requests. */

export const STEPS_MAX = 8;

const ofStep = (description: string) =>
  text(`${description} JMESPath over \`status\`, \`headers\` and \`body\` of its answer, and \`steps\`, those before.`);

const wholeMs = (minimum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum: 60_000, description }));

const Poll = Type.Object(
  {
    until: ofStep("True when the vendor has finished."),
    fail_when: Type.Optional(
      ofStep(
        "True when it has given up: a failure of kind `vendor_5xx`. A row of `errors` says another kind, and what is charged.",
      ),
    ),
    first_after_ms: wholeMs(0, "What is waited before the first request. 0 unless said."),
    every_ms: wholeMs(50, "What is waited between two. 1000 unless said."),
    backoff: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 10,
        description:
          "How many times as long each wait is as the one before, up to ten times `every_ms`. 1 unless said.",
      }),
    ),
    max_polls: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: "How many requests at the most. 30 unless said." }),
    ),
  },
  {
    ...closed,
    description:
      "The request is made again until something holds, within the source's one deadline. `Retry-After` is obeyed. An answer of 408, 429 or 5xx, and a lost connection, are followed by the next request; the third in a row fails.",
  },
);

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
        "The vendor's number for what it has taken up. Later requests say `{{ order_id }}`; a source that fails after this names it, and one that is not ready at the deadline fails as `pending`.",
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
    poll: Type.Optional(Poll),
  },
  closed,
);

export const Steps = Type.Array(Step, {
  minItems: 1,
  maxItems: STEPS_MAX,
  description:
    "Several requests, one after the other, in place of `request`: at most eight, each made once unless it polls. `match`, `map` and `output` are about the last answer, and may read `steps`.",
});

export const Resume = Type.Object(
  {
    step: text("The step that it begins with. What comes before is not asked, so nothing is ordered again."),
    input: Type.Optional(
      text("The input that holds the order's number, declared in `inputs`. `order_id` unless said."),
    ),
  },
  {
    ...closed,
    description:
      "Lets a later run ask for what was ordered: one that is given the vendor's number for it, as `failure.order_id` names it, begins at the step named here.",
  },
);

export type StepFile = Static<typeof Step>;
export type PollFile = Static<typeof Poll>;
