import { hasOperatorTokenShape, tokenDigest } from "../../../access/access-token.ts";
import { PREFIX } from "../../../terms/ids.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { operatorInput } from "../../shared-inputs.ts";
import { toWireOperator, wireOperator } from "../../operator-wire.ts";
import type { OperatorKey } from "../../ports.ts";
import { unknownId } from "../../require.ts";
import { defineVerb } from "../../verb.ts";

const LISTED_BY = "datarun operator list";

export default defineVerb({
  summary: "Revoke an operator's token, for good",
  description:
    "From the next request on, every machine refuses it. If you found a token where it should not be, you can give the token itself (dop_…). Afterwards the name can be given to a new operator.",
  example: "ada@acme.example",
  input: { operator: operatorInput },
  positional: ["operator"],
  changes: true,
  revokes: true,
  role: "owner",
  needs: ["store"],

  result: wireOperator,

  async run({ operator: given }, { act, store, note }) {
    const operator = await (await store()).revokeOperator(act, keyOf(given));
    if (operator === null) throw unknownOperator(given);
    if ((operator.revokedWallAt ?? act.wallAt) < act.wallAt) note("It had already been revoked.");
    return toWireOperator(operator, act.wallAt);
  },
});

function keyOf(given: string): OperatorKey {
  if (hasOperatorTokenShape(given)) return { digest: tokenDigest(given) };
  return given.startsWith(PREFIX.operator) ? { id: given } : { name: given };
}

/** Text that is not an id may be a mistyped token, so it is not repeated. */
function unknownOperator(given: string): OperatorError {
  if (given.startsWith(PREFIX.operator)) return unknownId("operator", given, LISTED_BY);
  return new OperatorError("not_found", `There is no such operator. "${LISTED_BY}" shows those that exist.`);
}
