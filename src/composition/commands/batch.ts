import { CONTEXTS } from "../../terms/caller.ts";
import { Type } from "../../terms/schema/type.ts";
import { defineCommand } from "../../admin/cli/command.ts";
import { deploymentOptions, jsonOption, textOption } from "./option-schemas.ts";

function texts(description: string, placeholder: string) {
  return Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description, "x-placeholder": placeholder }));
}

export default defineCommand({
  summary: "Ask a running service for every row of a file, and continue after a crash",
  description:
    "IN is a CSV, JSON Lines or Parquet file with a header, or - for standard input. Each row is one request; the token of the caller is in DATARUN_TOKEN. OUT gets one record for each row; OUT.state records which rows were asked, so that the same command continues after an interruption and asks no answered row again. Columns whose names are like those of inputs are sent. Sources, prices and the ledger are read as an operator: from the data directory of this machine, or through --remote. Exit codes: 0 every row is answered (with --dry-run: is valid), 3 rows are left, rejected, lost or unknown, 1 nothing was asked, 2 usage error.",
  example:
    "companies.csv --sources gleif__lei_record --workflow wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --map lei=LEI --out answers.csv",
  input: Type.Object(
    {
      input: Type.String({ minLength: 1, description: "The file, or - for standard input", "x-placeholder": "IN" }),
      sources: texts("The sources to ask, with commas between them", "SOURCES"),
      func: textOption("In place of sources: the function to run", "FUNCTION"),
      workflow: textOption("The workflow; by default that of DATARUN_WORKFLOW", "WORKFLOW"),
      context: Type.Optional(Type.Enum([...CONTEXTS], { description: "The context of the runs; dev by default" })),
      map: texts("The column for an input, if its name is another", "INPUT=COLUMN"),
      const: texts("An input that is the same for every row", "INPUT=VALUE"),
      keep: texts("A column to copy into the records, such as an id of yours", "COLUMN"),
      out: textOption("The file for the records: .jsonl, .csv or .parquet. Needed unless --dry-run is given", "OUT"),
      concurrency: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 256,
          description: "Requests in progress at a time, at most; 8 by default",
          "x-placeholder": "N",
        }),
      ),
      dry_run: Type.Optional(
        Type.Boolean({ description: "Check every row, show what it costs at most, and send no request" }),
      ),
      sample: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000_000,
          description: "Ask only so many rows, spread evenly, and project matches and cost",
          "x-placeholder": "N",
        }),
      ),
      max_cost: textOption("Set a budget for the batch, such as 50EUR, and remove it afterwards", "AMOUNT"),
      again: Type.Optional(
        Type.Boolean({
          description: "Also ask rows again whose answers are lost or unknown, which may be billed twice",
        }),
      ),
      url: textOption("The address of the service's public port; by default that of DATARUN_URL", "URL"),
      ...deploymentOptions,
      json: jsonOption,
    },
    { additionalProperties: false },
  ),
  positional: ["input"],
  begin: async (input, { program }) => (await import("./batch/begin-batch.ts")).beginBatch(input, program),
});
