import { Type } from "../../../terms/schema/type.ts";
import type { FunctionCase } from "../../../sdk/data-function.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { shownPath } from "../../authoring/source-files.ts";
import { functionInput } from "../../shared-inputs.ts";
import { requireFunction } from "../../require.ts";
import { anObject, count, listOf, oneOf, orNull, text } from "../../result-schemas.ts";
import { namesOf, plain, toWireFields, wireField } from "../../source-wire.ts";
import { defineVerb } from "../../verb.ts";

const wireFunctionCase = Type.Object({
  name: text,
  inputs: anObject,
  expects: oneOf("success", "failure"),
  asks: { ...listOf(text), description: "The sources that it scripts or expects to be called" },
});

function toWireFunctionCase({ name, inputs, sources = {}, expect }: FunctionCase) {
  return {
    name,
    inputs: plain(inputs),
    expects: expect.success === false ? "failure" : "success",
    asks: [...new Set([...Object.keys(sources), ...(expect.called ?? [])])],
  };
}

export default defineVerb({
  summary: "Show what a function takes and returns, its limits and its cases",
  example: "dfunc_contact_check",
  input: { function: functionInput },
  positional: ["function"],
  role: "viewer",
  changes: false,
  needs: ["functions"],

  result: Type.Object({
    function: text,
    title: text,
    description: { ...orNull(text), description: "Markdown" },
    inputs: { ...orNull(anObject), description: "JSON Schema" },
    output: { ...orNull(anObject), description: "JSON Schema" },
    fields: {
      ...Type.Object({ inputs: listOf(wireField), output: listOf(wireField) }),
      description: "What the schemas describe, one row a field",
    },
    timeout_ms: count,
    memory_mb: count,
    file: text,
    from: oneOf("catalog", "project"),
    cases: listOf(wireFunctionCase),
    code: {
      ...orNull(text),
      description: "Its file as it is now; null if it is very large, or is not a file of the project any more",
    },
  }),

  async run({ function: id }, { functions }) {
    const found = requireFunction(await functions(), id);
    return {
      function: found.id,
      title: found.title,
      description: found.description ?? null,
      inputs: plain(found.inputs ?? null) as JsonObject | null,
      output: plain(found.output ?? null) as JsonObject | null,
      fields: { inputs: toWireFields(found.inputs), output: toWireFields(found.output) },
      timeout_ms: found.timeoutMs,
      memory_mb: found.memoryMb,
      file: shownPath(found.file),
      from: found.from,
      cases: (await found.cases()).map(toWireFunctionCase),
      code: await found.code(),
    };
  },

  render: ({ fields: _fields, code: _code, ...result }) => {
    const lines = Object.entries({ ...result, cases: namesOf(result["cases"]!) }).map(
      ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`,
    );
    return `${lines.join("\n")}\n`;
  },
});
