import { FAULTS, REPORTED, type Surface } from "../terms/fault.ts";
import { Type } from "../terms/schema/type.ts";

/** The schemas of `failure` in status entries, and of the kinds of failures that this version has. */

function kindsOf(surface: Surface): readonly string[] {
  return [...new Set(Object.values(FAULTS).flatMap((row) => (row.surface === surface ? [row.kind] : [])))];
}

const OPEN = "Later versions may add kinds: handle a kind that you do not know by `retryable` and `charged`.";

export const SourceFailureKind = Type.Unsafe<string>({
  type: "string",
  title: "Kind of a source's failure",
  enum: kindsOf("source"),
  description: `The kinds that this version of the service has; docs/errors.md explains them. ${OPEN}`,
});

export const FunctionFailureKind = Type.Unsafe<string>({
  type: "string",
  title: "Kind of a function's failure",
  enum: [...kindsOf("function"), REPORTED],
  description: `The kinds that this version of the service has; docs/errors.md explains them. \`${REPORTED}\`: the function itself reports a failure. ${OPEN}`,
});

/**
 * An open enumeration. Client generators make a string of it, and a separate type of the known kinds, so a client accepts
 * kinds that are added later.
 */
function kindIn(name: string) {
  return Type.Unsafe<string>({
    anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: "string" }],
    description: `Class of the failure: one of \`${name}\`, or one of a later version.`,
  });
}

const charged = (of: string) =>
  Type.Union([Type.Literal("yes"), Type.Literal("no"), Type.Literal("unknown")], {
    description: `Whether ${of}.`,
  });

const ON = "Present in failed entries, unless `failure_details` of the workflow is turned off.";

export const sourceFailure = Type.Object(
  {
    kind: kindIn("SourceFailureKind"),
    retryable: Type.Boolean({
      description:
        "Whether another call of this source may succeed without placing a second order. It can be billed again. Never true if an order may exist.",
    }),
    charged: charged("the vendor has probably charged for the failed call"),
    order_id: Type.Optional(Type.String({ description: "The vendor's number for an order that it has accepted." })),
    resumable: Type.Optional(
      Type.Boolean({
        description:
          "`true` if a later run can fetch the result without a new order: send `order_id` as an input of that name, unless the page of the source names another.",
      }),
    ),
  },
  { description: ON },
);

export const functionFailure = Type.Object(
  {
    kind: kindIn("FunctionFailureKind"),
    retryable: Type.Boolean({
      description: "True only if no code of the function has run, so that a retry is free.",
    }),
    charged: charged("a vendor has probably charged for a call that the function made"),
    order_id: Type.Optional(
      Type.String({ description: "A vendor's number for the last order that the function placed." }),
    ),
    order_source: Type.Optional(Type.String({ description: "The source of that order." })),
    resumable: Type.Optional(
      Type.Boolean({ description: "`true` if that source can fetch the result with `order_id` as an input." }),
    ),
  },
  { description: ON },
);
