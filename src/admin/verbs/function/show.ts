import { Type } from "../../../terms/type.ts";
import type { Json } from "../../../terms/json.ts";
import { functionInput } from "../../inputs.ts";
import { requireFunction } from "../../require.ts";
import { anything, count, listOf, orNull, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Show what a function takes and returns, its limits and its cases",
  example: "dfunc_contact_check",
  input: Type.Object({ function: functionInput }, { additionalProperties: false }),
  positional: ["function"],
  role: "viewer",
  changes: false,
  needs: ["functions"],

  result: Type.Object({
    function: text,
    title: text,
    description: orNull(text),
    inputs: anything,
    output: anything,
    timeout_ms: count,
    memory_mb: count,
    file: text,
    from: text,
    cases: listOf(text),
  }),

  async run({ function: id }, { functions }) {
    const found = requireFunction(await functions(), id);
    return {
      function: found.id,
      title: found.title,
      description: found.description ?? null,
      inputs: (found.inputs ?? null) as Json,
      output: (found.output ?? null) as Json,
      timeout_ms: found.timeoutMs,
      memory_mb: found.memoryMb,
      file: found.file,
      from: found.from,
      cases: found.cases().map(({ name }) => name),
    };
  },

  render: (result) => {
    const lines = Object.entries(result).map(
      ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`,
    );
    return `${lines.join("\n")}\n`;
  },
});
