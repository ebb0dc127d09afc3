import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { Type } from "../../../terms/schema/type.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { shownPath } from "../../authoring/source-files.ts";
import { contractInputs, contractPartsOf } from "../../contract-parts.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Write a typed client of this deployment, without dependencies",
  description:
    "Without --source and --function it knows every source that is on, and every function. TypeScript: a package of JavaScript with declarations, which uses fetch. Python: a package with types, which uses the standard library. A folder that this command has written is written again; any other that is not empty is refused.",
  example: "--lang ts --out datarun-client --source gleif__lei_record",
  input: {
    lang: Type.Enum(["ts", "python"], { description: "The language" }),
    out: Type.String({ minLength: 1, maxLength: 4_000, description: "The folder to write", "x-placeholder": "DIR" }),
    ...contractInputs,
  },
  role: "viewer",
  terminalOnly: true,
  changes: false,
  needs: ["sources", "functions", "replyBytesMax"],

  async run({ lang, out, ...chosen }, call) {
    const folder = resolve(out);
    const { generateClient, isGenerated } = await import("../../../contract/client/generate-client.ts");
    const name = basename(folder);
    if (lang === "python" && !/^[A-Za-z_]\w*$/.test(name)) {
      throw new OperatorError(
        "invalid",
        `Python imports the folder by its name, and ${JSON.stringify(name)} is not an identifier.`,
      );
    }
    if (existsSync(folder) && readdirSync(folder).length > 0 && !isGenerated(folder, lang)) {
      throw new OperatorError("refused", `${shownPath(folder)} has files that this command has not written.`);
    }
    const { sources, functions } = await contractPartsOf(chosen, call);
    if (sources.length === 0 && functions.length === 0) throw new OperatorError("invalid", "There is nothing to ask.");
    const files = generateClient(lang, { sources, functions }, name);
    try {
      mkdirSync(folder, { recursive: true });
      for (const [file, text] of files) writeFileSync(join(folder, file), text);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new OperatorError("refused", `The folder cannot be written: ${code}.`, { cause });
    }
    return {
      folder: shownPath(folder),
      files: [...files.keys()],
      sources: sources.map(({ id }) => id),
      functions: functions.map(({ id }) => id),
    };
  },
});
