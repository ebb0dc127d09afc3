import { readFileSync } from "node:fs";
import { Type } from "../../../terms/schema/type.ts";
import type { RunnableSource } from "../../../run/ports.ts";
import { showRecipe } from "../../../sources/declarative/source-text.ts";
import { toYaml } from "../../../sources/declarative/write-yaml.ts";
import type { Json, JsonObject } from "../../../terms/json/json.ts";
import { sourceInput } from "../../shared-inputs.ts";
import { requireSource } from "../../require.ts";
import { shownPath } from "../../authoring/source-files.ts";
import { anObject, anything, count, listOf, oneOf, orNull, rowsOf, text, yesOrNo } from "../../result-schemas.ts";
import {
  liveTested,
  liveTestedOf,
  namesOf,
  plain,
  toWireCase,
  toWireCharge,
  toWireFields,
  toWireLimits,
  toWireProof,
  wireCase,
  wireCharge,
  wireField,
  wireLimits,
  wireProof,
} from "../../source-wire.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Show what a source takes, sends and returns, and where each value comes from",
  example: "google__phone_number",
  input: { source: sourceInput },
  positional: ["source"],
  role: "viewer",
  changes: false,
  needs: ["sources", "replyBytesMax"],

  result: Type.Object({
    source: text,
    title: text,
    description: { ...orNull(text), description: "Markdown" },
    docs: orNull(text),
    file: text,
    from: oneOf("catalog", "package", "project"),
    package: { ...orNull(text), description: "The name of the package" },
    on: { ...yesOrNo, description: "Whether runs may call it" },
    leaves_machine: yesOrNo,
    data: rowsOf({
      name: text,
      licence: text,
      date: text,
      url: Type.Optional(text),
      max_age_days: Type.Optional({ ...count, description: "`check --production` reports it when it is older" }),
    }),
    input_names: listOf(text),
    inputs: { ...anObject, description: "JSON Schema" },
    credential: oneOf("none", "optional", "required"),
    credential_fields: { ...orNull(anObject), description: "JSON Schema" },
    asks: { ...Type.Union([anObject, text]), description: "The request: the recipe of a YAML file, or a sentence" },
    output: { ...orNull(anObject), description: "JSON Schema" },
    fields: {
      ...Type.Object({ inputs: listOf(wireField), credential: listOf(wireField), output: listOf(wireField) }),
      description: "What the three schemas describe, one row a field",
    },
    origins: listOf(text),
    regions: listOf(text),
    charge: wireCharge,
    limits: wireLimits,
    verifies: { ...yesOrNo, description: "Whether its credentials can be verified" },
    live_tested: liveTested,
    proof: wireProof,
    live_inputs: { ...orNull(anObject), description: "Inputs for which its vendor is known to have a record" },
    values: rowsOf({ name: text, value: anything, from: text }),
    cases: listOf(wireCase),
    recipe: { ...orNull(text), description: "The recipe of a YAML file as text" },
  }),

  async run({ source: id }, { sources, replyBytesMax }) {
    const listing = await sources();
    const source = requireSource(listing, id);
    const { declaration } = source;
    const { file, from, package: name, isOn, proof } = listing.placeOf(source.id)!;
    const recipe = recipeOf(file);
    return {
      source: source.id,
      title: declaration.title,
      description: declaration.description ?? null,
      docs: declaration.docs ?? null,
      file: shownPath(file),
      from,
      package: name,
      on: isOn,
      leaves_machine: source.leavesMachine,
      data: [...(declaration.data ?? [])].map(({ file: _, ...origin }) => origin),
      input_names: [...source.inputNames],
      inputs: plain(declaration.inputs) as JsonObject,
      credential: source.credentialUse,
      credential_fields: plain(declaration.credentials ?? null) as JsonObject | null,
      asks: recipe ?? codeText(source),
      output: plain(declaration.output ?? null) as JsonObject | null,
      fields: {
        inputs: toWireFields(declaration.inputs),
        credential: toWireFields(declaration.credentials),
        output: toWireFields(declaration.output),
      },
      origins: [...(declaration.origins ?? [])],
      regions: [...(declaration.regions ?? [])],
      charge: toWireCharge(source),
      limits: toWireLimits(source, replyBytesMax()),
      verifies: declaration.verify !== undefined,
      live_tested: liveTestedOf(source, proof),
      proof: toWireProof(proof),
      live_inputs: plain(declaration.live?.inputs ?? null),
      values: valuesOf(source, replyBytesMax()),
      cases: (declaration.cases ?? []).map(toWireCase),
      recipe: recipe === null ? null : toYaml(recipe),
    };
  },

  render(result) {
    const rows = result["values"] as unknown as readonly { name: string; value: Json; from: string }[];
    const shown = Object.entries({ ...result, cases: namesOf(result["cases"]!) }).filter(
      ([name, value]) =>
        !RENDERED_SEPARATELY.has(name) && value !== null && !(Array.isArray(value) && value.length === 0),
    );
    const width = Math.max(...rows.map(({ name }) => name.length));
    const lines = rows.map(({ name, value, from }) => `  ${name.padEnd(width)}  ${JSON.stringify(value)}  (${from})`);
    return `${toYaml(Object.fromEntries(shown))}values:\n${lines.join("\n")}\n`;
  },
});

/** Fields with a rendering of their own. */
const RENDERED_SEPARATELY = new Set(["values", "fields", "charge", "limits", "verifies", "recipe"]);

/** The request and the evaluation of the reply of a YAML file; `null` for code. */
function recipeOf(file: string): JsonObject | null {
  return /\.ya?ml$/.test(file) ? (plain(showRecipe(readFileSync(file, "utf8"))) as JsonObject) : null;
}

function codeText({ leavesMachine }: RunnableSource): string {
  return leavesMachine
    ? "written in TypeScript"
    : "no vendor: it is written in TypeScript and answers from its own data";
}

function valuesOf({ declaration, leavesMachine, timeoutMs }: RunnableSource, replyBytesMax: number): JsonObject[] {
  const { limits = {}, charge } = declaration;
  const value = (name: string, given: unknown, otherwise: unknown) => ({
    name,
    value: plain(given ?? otherwise) as Json,
    from: given === undefined ? "default" : "the source's file",
  });
  const chargeValue = value("charge", charge, leavesMachine ? "per_call" : "free");
  const time = { ...value("timeout_ms", declaration.timeout_ms, timeoutMs) };
  if (!leavesMachine) return [time, chargeValue];
  return [
    time,
    limits.max_bytes === undefined || limits.max_bytes > replyBytesMax
      ? { name: "limits.max_bytes", value: replyBytesMax, from: "the setting limits.expert.reply_decoded_bytes" }
      : value("limits.max_bytes", limits.max_bytes, replyBytesMax),
    value("limits.concurrency", limits.concurrency, "no limit of its own"),
    value("limits.rate", limits.rate, "no limit of its own"),
    chargeValue,
    value("verify", declaration.verify === undefined ? undefined : true, false),
  ];
}
