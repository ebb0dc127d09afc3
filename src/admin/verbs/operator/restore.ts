import { PREFIX } from "../../../terms/ids.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { operatorInput } from "../../shared-inputs.ts";
import { toWireOperator, wireOperator } from "../../operator-wire.ts";
import { unknownId } from "../../require.ts";
import { defineVerb } from "../../verb.ts";

const LISTED_BY = "datarun operator list";

export default defineVerb({
  summary: "Let a revoked person log in with the identity provider again",
  description:
    "They get the role that their groups have when they log in. Their sessions from before stay ended. A revoked token stays revoked: create a new one instead.",
  example: "ada@acme.example",
  input: { operator: operatorInput },
  positional: ["operator"],
  changes: true,
  role: "owner",
  needs: ["store"],

  result: wireOperator,

  async run({ operator: given }, { act, store }) {
    const isId = given.startsWith(PREFIX.operator);
    const restored = await (await store()).restoreOperator(act, isId ? { id: given } : { name: given });
    if (restored !== null) return toWireOperator(restored, act.wallAt);
    if (isId) throw unknownId("operator", given, LISTED_BY);
    throw new OperatorError(
      "not_found",
      `No person of this name has logged in with the identity provider. "${LISTED_BY}" shows who has.`,
    );
  },
});
