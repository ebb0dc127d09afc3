import type { Static } from "typebox";
import { CALL_MS_MAX } from "../../../terms/time/times.ts";
import { Type } from "../../../terms/schema/type.ts";
import { ErrorRowRef, RequestRef, StepReply } from "./exchange-format.ts";
import { closed, text } from "./format-words.ts";

/** The part of the format for sources with several requests. */

export const STEPS_MAX = 8;
const PAGES_MAX = 20;

const ofStep = (description: string) =>
  text(
    `${description} JMESPath over \`status\`, \`headers\` and \`body\` of the step's reply, and \`steps\`, the steps before it.`,
  );

const wholeMs = (minimum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum: CALL_MS_MAX, description }));

const Poll = Type.Object(
  {
    until: ofStep("True when the vendor has finished."),
    fail_when: Type.Optional(
      ofStep(
        "True when the vendor has given up: a failure of kind `vendor_5xx`. A row of `errors` can state another kind and the charge.",
      ),
    ),
    first_after_ms: wholeMs(0, "How long to wait before the first poll. 0 by default."),
    every_ms: wholeMs(50, "How long to wait between two polls. 1000 by default."),
    backoff: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 10,
        description:
          "The factor by which each wait is longer than the one before, up to ten times `every_ms`. 1 by default.",
      }),
    ),
    max_polls: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: "The largest number of polls. 30 by default." }),
    ),
  },
  {
    ...closed,
    description:
      "Repeats the request until a condition is true. `Retry-After` is obeyed. After status 408, 429 or 5xx, or a lost connection, the next poll is made; the third in a row fails the source.",
  },
);

const Repeat = Type.Object(
  {
    while: Type.Optional(ofStep("True if the vendor has a further page. Required unless `next` is given.")),
    next: Type.Optional(
      ofStep(
        'The link to the next page: an address, or the field `Link` (`headers.link`), whose link with `rel="next"` is used. Without a link there is no further page. The link replaces path and query of the request, except parameters with a credential, a token, a signature, the time or a nonce. It must have the origin of the request.',
      ),
    ),
    max: Type.Integer({
      minimum: 2,
      maximum: PAGES_MAX,
      description: "The largest number of requests. After it, the source continues with the pages that it has.",
    }),
  },
  {
    ...closed,
    description:
      "Repeats the request for each page of a list. The request contains a part of the page before it, such as `{{ steps.<name>.body.next }}`, which is absent in the first one, or `next` finds its address. Later requests and expressions read the last page as usual, and the bodies of all pages as the list `steps.<name>.pages`.",
  },
);

const Step = Type.Object(
  {
    name: Type.String({
      pattern: "^[a-z][a-z0-9_]*$",
      description:
        "The name by which later requests and expressions read its reply: `steps.<name>.body`, `.status`, `.headers`.",
    }),
    when: Type.Optional(
      text(
        "The condition under which the step is made; otherwise it is skipped, and its reply is `null`. JMESPath over `inputs` and `steps`.",
      ),
    ),
    request: RequestRef,
    reply: Type.Optional(StepReply),
    free: Type.Optional(
      Type.Boolean({ description: "Whether the vendor never bills this request. False by default." }),
    ),
    answers: Type.Optional(
      Type.Array(Type.Integer({ minimum: 400, maximum: 599 }), {
        minItems: 1,
        description: "Statuses besides 2xx after which the next step is made.",
      }),
    ),
    order_id: Type.Optional(
      ofStep(
        "The vendor's number for the order, which later requests read as `{{ order_id }}`. Later failures name it and are not `retryable`; at the deadline the source fails as `pending`.",
      ),
    ),
    errors: Type.Optional(
      Type.Array(ErrorRowRef, {
        description: "Failures that its reply reports, evaluated before the file's `errors`.",
      }),
    ),
    match: Type.Optional(
      Type.Object(
        { no_record: ofStep("True when its reply means that there is no record. Then no further request is made.") },
        { ...closed, description: "What ends the source early." },
      ),
    ),
    poll: Type.Optional(Poll),
    repeat: Type.Optional(Repeat),
  },
  closed,
);

export const Steps = Type.Array(Step, {
  minItems: 1,
  maxItems: STEPS_MAX,
  description:
    "Up to eight requests, one after the other, instead of `request`. Each is made once unless it has `poll` or `repeat`. `match`, `map` and `output` apply to the last reply, and can read `steps`.",
});

export const Resume = Type.Object(
  {
    step: text("The step to begin with. The steps before it are skipped."),
    input: Type.Optional(text("The input that holds the order's number, declared in `inputs`. `order_id` by default.")),
  },
  {
    ...closed,
    description:
      "Lets a later run fetch the result of an order. A run with the number from `failure.order_id` as an input begins at this step. Failures with a number say `resumable`.",
  },
);

export type StepFile = Static<typeof Step>;
