import { Type } from "../../../terms/schema/type.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { operatorInput } from "../../shared-inputs.ts";
import { tokenState, toWireOperator, wireOperator } from "../../operator-wire.ts";
import { ROLES } from "../../roles.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Give an operator with a token another role",
  description:
    "The token stays the same, and the new role applies from the next request on. The role of a person of the identity provider is that of their groups.",
  example: "ada@acme.example --role viewer",
  input: { operator: operatorInput, role: Type.Enum([...ROLES], { description: "The new role" }) },
  positional: ["operator"],
  changes: true,
  role: "owner",
  needs: ["store"],

  result: wireOperator,

  async run({ operator: given, role }, { act, store }) {
    const open = await store();
    const found = (await open.operators()).find(
      (each) => (each.id === given || each.name === given) && tokenState(each, act.wallAt) === "active",
    );
    const changed = found === undefined ? null : await open.changeOperatorRole(act, found.id, role);
    if (changed !== null) return toWireOperator(changed, act.wallAt);
    throw new OperatorError(
      "not_found",
      'There is no operator with a valid token of this name or id. "datarun operator list" shows those that exist.',
    );
  },
});
