import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { Type } from "../../../terms/type.ts";
import { filterInputs, toFilter } from "../../ledger-inputs.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { defineVerb } from "../../verb.ts";

/** The number of omitted runs that are listed. */
const NAMED_MAX = 20;

export default defineVerb({
  summary: "Write runs to a file, oldest first",
  description:
    "The format csv has one request per line, with its call and run; jsonl has one complete run per line. The file must not exist yet, and only its owner can read it. A run whose record is damaged is left out and named, and the exit code is then 1.",
  example: "march.csv --from 2026-03-01 --to 2026-04-01",
  input: Type.Object(
    {
      file: Type.String({ minLength: 1, maxLength: 4_096, description: "The file to write" }),
      format: Type.Optional(Type.Enum(["csv", "jsonl"], { description: "csv by default" })),
      ...filterInputs,
    },
    { additionalProperties: false },
  ),
  positional: ["file"],
  role: "viewer",
  terminalOnly: true,
  changes: false,
  needs: ["ledgerExport", "workingFolder"],
  interrupted: "The file is not complete: delete it, and give the same command again.",

  async run({ file, format = "csv", ...filter }, { ledgerExport, workingFolder, note, onProgress }) {
    const reader = await ledgerExport();
    const damaged: string[] = [];
    let leftOut = 0;
    const pieces = reader.export(
      toFilter(filter),
      format,
      (run) => {
        leftOut += 1;
        if (damaged.length < NAMED_MAX) damaged.push(run);
      },
      onProgress,
    );
    const path = resolve(workingFolder(), file);
    const output = await open(path, "wx", 0o600).catch(cannotMake);
    let bytes = 0;
    try {
      for await (const piece of pieces) {
        await output.writeFile(piece);
        bytes += Buffer.byteLength(piece);
      }
    } finally {
      await output.close();
    }
    if (leftOut > 0) note(leftOutNote(leftOut, damaged));
    return { file: path, format, bytes, damaged: leftOut };
  },

  hasFailed: ({ damaged }) => damaged > 0,
});

function leftOutNote(count: number, named: readonly string[]): string {
  const runs = count === 1 ? "1 run is damaged and not in the file" : `${count} runs are damaged and not in the file`;
  return `${runs}: ${named.join(", ")}${count > named.length ? ` and ${count - named.length} more` : ""}.`;
}

function cannotMake(error: NodeJS.ErrnoException): never {
  const why = error.code === "EEXIST" ? "it exists already" : String(error.code);
  throw new OperatorError("refused", `The file cannot be created: ${why}.`, { cause: error });
}
