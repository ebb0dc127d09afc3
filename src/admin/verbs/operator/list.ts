import { Type } from "../../../terms/type.ts";
import { toWireOperator, wireOperator } from "../../operator-wire.ts";
import { listed } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "List who may use the admin API, newest first",
  description: "Tokens are never shown. The time of last use is kept to the minute.",
  example: "",
  input: Type.Object({}, { additionalProperties: false }),
  changes: false,
  role: "viewer",
  needs: ["store"],

  result: listed("operators", wireOperator),

  async run(_input, { act, store }) {
    const operators = await (await store()).operators();
    return { operators: operators.map((operator) => toWireOperator(operator, act.wallAt)) };
  },
});
