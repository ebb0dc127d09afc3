import { Type } from "typebox";
import type { SourceDeclaration } from "../../../sdk/source.ts";
import type { Json, JsonObject } from "../../../terms/json.ts";
import { sourceInput } from "../../inputs.ts";
import { requireSource } from "../../require.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Show what a source takes, asks and answers, and where each value came from",
  example: "google__phone_number",
  input: Type.Object({ source: sourceInput }, { additionalProperties: false }),
  positional: ["source"],
  changes: false,

  async run({ source: id }, { sources }) {
    const source = requireSource(await sources(), id);
    const { declaration } = source;
    return {
      source: source.id,
      title: declaration.title,
      description: declaration.description ?? null,
      docs: declaration.docs ?? null,
      data: plain(declaration.data ?? []),
      input_names: [...source.inputNames],
      inputs: plain(declaration.inputs),
      credential: source.credentialUse,
      credential_fields: plain(declaration.credentials ?? null),
      output: plain(declaration.output ?? null),
      origins: [...(declaration.origins ?? [])],
      timeout_ms: source.timeoutMs,
      timeout_from: declaration.timeout_ms === undefined ? "default" : "the source's file",
      limits: plain(declaration.limits ?? null),
      charge: plain(chargeOf(declaration, source.leavesMachine)),
      charge_from: declaration.charge === undefined ? "default" : "the source's file",
      cases: (declaration.cases ?? []).map(({ name }) => name),
    };
  },

  render: (result) => {
    const lines = Object.entries(result).map(
      ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`,
    );
    return `${lines.join("\n")}\n`;
  },
});

function chargeOf({ charge }: SourceDeclaration, leavesMachine: boolean): unknown {
  return charge ?? (leavesMachine ? "per_call" : "free");
}

/** Schemas made with a library carry hidden marks; what is shown is the JSON they amount to. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
