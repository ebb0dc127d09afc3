import { readFileSync } from "node:fs";
import { Type } from "../../../terms/type.ts";
import type { RunnableSource } from "../../../run/ports.ts";
import { showRecipe } from "../../../sources/declarative/authoring/source-text.ts";
import { toYaml } from "../../../sources/declarative/authoring/write-yaml.ts";
import type { Json, JsonObject } from "../../../terms/json.ts";
import { sourceInput } from "../../inputs.ts";
import type { SourceFile } from "../../authoring/ports.ts";
import { requireSource } from "../../require.ts";
import { shownPath } from "../../authoring/source-files.ts";
import { anything, listOf, oneOf, orNull, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Show what a source takes, sends and returns, and where each value comes from",
  example: "google__phone_number",
  input: Type.Object({ source: sourceInput }, { additionalProperties: false }),
  positional: ["source"],
  role: "viewer",
  changes: false,
  needs: ["sources", "authoring"],

  result: Type.Object({
    source: text,
    title: text,
    description: orNull(text),
    docs: orNull(text),
    file: orNull(text),
    from: orNull(text),
    data: anything,
    input_names: listOf(text),
    inputs: anything,
    credential: oneOf("none", "optional", "required"),
    credential_fields: anything,
    asks: anything,
    output: anything,
    origins: listOf(text),
    regions: listOf(text),
    live_tested: orNull(text),
    values: listOf(Type.Object({ name: text, value: anything, from: text })),
    cases: listOf(text),
  }),

  async run({ source: id }, { sources, authoring }) {
    const source = requireSource(await sources(), id);
    const { declaration } = source;
    const file = (await authoring()).fileOf(id);
    return {
      source: source.id,
      title: declaration.title,
      description: declaration.description ?? null,
      docs: declaration.docs ?? null,
      file: file === undefined ? null : shownPath(file.path),
      from: file?.from ?? null,
      data: plain(declaration.data ?? []),
      input_names: [...source.inputNames],
      inputs: plain(declaration.inputs),
      credential: source.credentialUse,
      credential_fields: plain(declaration.credentials ?? null),
      asks: asksOf(source, file),
      output: plain(declaration.output ?? null),
      origins: [...(declaration.origins ?? [])],
      regions: [...(declaration.regions ?? [])],
      live_tested: liveTestedOf(source),
      values: valuesOf(source),
      cases: (declaration.cases ?? []).map(({ name }) => name),
    };
  },

  render(result) {
    const { values, ...rest } = result;
    const rows = values as unknown as readonly { name: string; value: Json; from: string }[];
    const told = Object.entries(rest).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    );
    const width = Math.max(...rows.map(({ name }) => name.length));
    const lines = rows.map(({ name, value, from }) => `  ${name.padEnd(width)}  ${JSON.stringify(value)}  (${from})`);
    return `${toYaml(Object.fromEntries(told))}values:\n${lines.join("\n")}\n`;
  },
});

/** What is sent and how the reply is evaluated, for a declarative file; for code there is no such description. */
function asksOf({ leavesMachine }: RunnableSource, file: SourceFile | undefined): Json {
  if (file !== undefined && /\.ya?ml$/.test(file.path)) return plain(showRecipe(readFileSync(file.path, "utf8")));
  return leavesMachine
    ? "written in TypeScript"
    : "nobody: it is written in TypeScript and answers from data that comes with it";
}

/** When it was last tested with the real vendor, as its file says; `null` if there is no vendor. */
function liveTestedOf({ declaration, leavesMachine }: RunnableSource): string | null {
  const { "x-live-tested": tested } = declaration as Readonly<Record<`x-${string}`, unknown>>;
  if (!leavesMachine) return null;
  return typeof tested === "string" ? tested : "never";
}

function valuesOf({ declaration, leavesMachine, timeoutMs }: RunnableSource): JsonObject[] {
  const { limits = {}, charge } = declaration;
  const value = (name: string, given: unknown, otherwise: unknown) => ({
    name,
    value: plain(given ?? otherwise),
    from: given === undefined ? "default" : "the source's file",
  });
  const chargeValue = value("charge", charge, leavesMachine ? "per_call" : "free");
  const time = { ...value("timeout_ms", declaration.timeout_ms, timeoutMs) };
  if (!leavesMachine) return [time, chargeValue];
  return [
    time,
    value("limits.max_bytes", limits.max_bytes, 10_485_760),
    value("limits.concurrency", limits.concurrency, "no limit of its own"),
    value("limits.rate", limits.rate, "no limit of its own"),
    chargeValue,
    value("verify", declaration.verify === undefined ? undefined : true, false),
  ];
}

/** Schemas from a library have properties that are not enumerable; only their JSON is shown. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
