import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Type } from "../../../terms/type.ts";
import { playCase } from "../../../simulation/play-case.ts";
import { renderReport, runCases } from "../../../simulation/run-cases.ts";
import { draftSource, type SourceDraft, writeDraft } from "../../../sources/declarative/authoring/draft-source.ts";
import { SOURCE_ID } from "../../../terms/ids.ts";
import { isJsonObject, type JsonObject } from "../../../terms/json.ts";
import { askForDraft, QUESTIONS } from "../../authoring/ask-for-draft.ts";
import type { AuthoringTools } from "../../authoring/ports.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { shownPath } from "../../authoring/source-files.ts";
import { defineVerb } from "../../verb.ts";

const SCHEMA = fileURLToPath(new URL("../../../sources/declarative/source.schema.json", import.meta.url));

export default defineVerb({
  summary: "Write a new source from a vendor's documentation and one sample reply",
  description:
    "Asks for what is not given as an option. Writes a YAML file with cases into the project folder, after the cases have passed. It guesses from the sample, so read the file and correct what the vendor's documentation says otherwise.",
  example:
    "acme__company --title Company --url https://api.acme.example/companies/{number} --auth header:X-Api-Key --sample reply.json",
  input: Type.Object(
    {
      id: Type.String({
        pattern: SOURCE_ID.source,
        maxLength: 128,
        description: "Id of the new source, <vendor>__<source_name>",
        "x-says": "must have the form <vendor>__<source_name>, lower snake case",
      }),
      ...Object.fromEntries(
        QUESTIONS.map(({ name, describes }) => [
          name,
          Type.Optional(Type.String({ maxLength: 4_000, description: describes })),
        ]),
      ),
    },
    { additionalProperties: false },
  ),
  positional: ["id"],
  changes: true,
  needs: ["authoring", "terminal"],

  async run(input, call) {
    const tools = await call.authoring();
    const { id } = input as { id: string };
    const path = placeOf(tools, id);
    const given = input as Readonly<Record<string, string | undefined>>;
    const draft: SourceDraft = { id, ...(await askForDraft(given, call.terminal())) };
    const text = await proven(draft, relative(dirname(path), SCHEMA), tools);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: "wx" });
    if (tools.fileOf(id)?.from === "catalog") call.note(`It replaces the catalog's ${id}.`);
    call.note(`Read the file, then run: datarun source test ${id}`);
    return { source: id, file: shownPath(path) };
  },
});

/** @throws OperatorError where nothing may be written */
function placeOf({ project, fileOf }: AuthoringTools, id: string): string {
  if (project === undefined) throw new OperatorError("usage", "Give the project folder with --project.");
  const there = fileOf(id);
  if (there?.from === "project") throw new OperatorError("refused", `${id} exists already: ${shownPath(there.path)}`);
  const path = join(project, "sources", `${id.replace("__", "/")}.yaml`);
  if (existsSync(path)) throw new OperatorError("refused", `The file exists already: ${shownPath(path)}`);
  return path;
}

/** The text of a file whose cases pass. @throws OperatorError */
async function proven(draft: SourceDraft, schemaPath: string, { compile, cases }: AuthoringTools): Promise<string> {
  try {
    const source = draftSource(draft);
    const first = compile(writeDraft(source, schemaPath), "draft.yaml");
    const { answer, fault } = await playCase(first, first.declaration.cases![0]!, cases);
    if (answer === null) throw new RangeError(`the sample is not recognised as a record (${fault!.says})`);
    const text = writeDraft(withOutput(source, JSON.parse(String(answer.json)) as JsonObject), schemaPath);
    const report = await runCases(compile(text, "draft.yaml"), cases);
    if (!report.passed) throw new RangeError(`its cases do not pass:\n${renderReport(report)}`);
    return text;
  } catch (error) {
    throw new OperatorError("invalid", `No source can be written from this: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

function withOutput(source: JsonObject, output: JsonObject): JsonObject {
  const [found, ...others] = source["cases"] as readonly JsonObject[];
  const expect = isJsonObject(found!["expect"]) ? found!["expect"] : {};
  return { ...source, cases: [{ ...found, expect: { ...expect, output } }, ...others] };
}
