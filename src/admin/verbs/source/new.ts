import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Type } from "../../../terms/schema/type.ts";
import { SOURCE_ID } from "../../../terms/ids.ts";
import type { NewSource } from "../../../drafting/draft-new-source.ts";
import type { AuthoringTools } from "../../authoring/ports.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { fileExists, shownPath, writeNewFile } from "../../authoring/source-files.ts";
import { defineVerb } from "../../verb.ts";
import { AUTH_WORDS, DRAFT_METHODS_LIST } from "../../../sources/declarative/draft-words.ts";
import { CHARGE_MODELS } from "../../../terms/money/charge.ts";

const SCHEMA = fileURLToPath(new URL("../../../sources/declarative/source.schema.json", import.meta.url));

const option = (description: string, placeholder?: string) =>
  Type.Optional(
    Type.String({ maxLength: 4_000, description, ...(placeholder !== undefined && { "x-placeholder": placeholder }) }),
  );

export default defineVerb({
  summary: "Write a new source from a vendor's documentation, or from a curl command, OpenAPI, HAR or WSDL",
  description:
    "Asks questions for missing options. With --from-curl, --from-openapi, --from-har or --from-wsdl the request, its login and its reply are imported from a file: secrets are never written, values of samples are masked, and anything that cannot be imported is named and refused. Writes a YAML file with cases into the project folder, after the cases have passed. It guesses from the sample, so read the file and correct what the vendor's documentation says otherwise.",
  example:
    "acme__company --title Company --url https://api.acme.example/companies/{number} --auth header:X-Api-Key --sample reply.json",
  input: {
    id: Type.String({
      pattern: SOURCE_ID.source,
      maxLength: 128,
      description: "Id of the new source, <vendor>__<source_name>",
      "x-says": "must have the form <vendor>__<source_name>, lower snake case",
    }),
    // These answer a draft's questions. Questions without an option are asked interactively.
    title: option("A short title for people"),
    docs: option("The address of the vendor's documentation"),
    method: option(`${DRAFT_METHODS_LIST}; GET by default`),
    url: option("Address of the request, with inputs in braces"),
    body: option("JSON body of the request, with inputs in braces"),
    auth: option(`${AUTH_WORDS}; none by default. OAuth logs in with client credentials or with a password`),
    sample: option("A file with one sample reply as JSON or XML; - for standard input", "FILE"),
    nobody: option(
      "The vendor's reply for no record: a status, or a file with the reply if its status is 200",
      "STATUS|FILE",
    ),
    charge: option(`${CHARGE_MODELS.join(", ")}; per_call by default`),
    from_curl: option("A file with one curl command, or - for standard input", "FILE"),
    from_openapi: option(
      "An OpenAPI 3 or Swagger 2.0 document and one of its operations: FILE#operationId, or FILE#GET /path",
      "FILE#OPERATION",
    ),
    from_har: option("An HTTP archive (HAR) saved by a browser", "FILE"),
    from_wsdl: option("A WSDL 1.1 document with document/literal operations", "FILE"),
    operation: Type.Optional(
      Type.String({
        maxLength: 200,
        description: "With --from-wsdl: the name of the operation",
        "x-placeholder": "NAME",
      }),
    ),
    entry: option("With --from-har: the entry to import, by its number or its address"),
    fixed: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        description:
          "With --from-curl or --from-har: the name of a value that is a constant; every other value becomes an input",
        "x-placeholder": "NAME",
      }),
    ),
    examples: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "With an import: an example of an input, for the cases; cases are not secret",
      }),
    ),
  },
  positional: ["id"],
  role: "operator",
  terminalOnly: true,
  changes: true,
  needs: ["authoring", "terminal", "writeTypes"],

  async run(input, call) {
    const tools = await call.authoring();
    const given = input as NewSource;
    const { id } = given;
    const path = placeOf(tools, id);
    const schema = relative(dirname(path), SCHEMA);
    const { draftNewSource } = await import("../../../drafting/draft-new-source.ts");
    const { text, remarks } = await draftNewSource(given, schema, tools, call.terminal(), call.note);
    writeNewFile(path, text);
    if (tools.fileOf(id)?.from === "catalog") call.note(`It replaces the catalog's ${id}.`);
    for (const remark of [...remarks, ...(await call.writeTypes())]) call.note(remark);
    call.note(`Read the file, then run: datarun source test ${id}`);
    return { source: id, file: shownPath(path) };
  },
});

/** The path of the new file. @throws OperatorError if the file may not be written */
function placeOf({ project, fileOf }: AuthoringTools, id: string): string {
  if (project === undefined) throw new OperatorError("usage", "Give the project folder with --project.");
  const there = fileOf(id);
  if (there?.from === "project") throw new OperatorError("refused", `${id} exists already: ${shownPath(there.path)}`);
  if (there?.from === "package")
    throw new OperatorError("refused", `${id} is a source of a package: ${shownPath(there.path)}`);
  const path = join(project, "sources", `${id.replace("__", "/")}.yaml`);
  if (existsSync(path)) throw fileExists(path);
  return path;
}
