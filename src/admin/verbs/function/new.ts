import { join } from "node:path";
import { Type } from "../../../terms/schema/type.ts";
import { FUNCTION_ID, ID_CHARS_MAX, PREFIX } from "../../../terms/ids.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { shownPath, writeNewFile } from "../../authoring/source-files.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Write a working function with its cases into the project folder",
  description:
    "The file is functions/NAME.ts. It has a function that calls one offline source, its contract and two cases. `datarun function test` runs the cases.",
  example: "dfunc_reachable_by --project my-project",
  input: {
    function: Type.String({
      pattern: FUNCTION_ID.source,
      maxLength: ID_CHARS_MAX,
      description: "Id of the new function (dfunc_…)",
      "x-says": "must be dfunc_ and a name in lower snake case",
    }),
  },
  positional: ["function"],
  role: "operator",
  terminalOnly: true,
  changes: true,
  needs: ["projectFolder", "functions", "writeTypes"],

  async run({ function: id }, { projectFolder, functions, writeTypes, note }) {
    const file = join(projectFolder(), "functions", `${id.slice(PREFIX.dataFunction.length)}.ts`);
    const there = (await functions()).list().find((each) => each.id === id);
    if (there?.from === "project" && there.file !== file)
      throw new OperatorError("refused", `${id} exists already: ${shownPath(there.file)}`);
    const { newFunctionText } = await import("../../../drafting/new-function-text.ts");
    writeNewFile(file, newFunctionText(id));
    if (there?.from === "catalog") note(`It replaces the catalog's ${id}.`);
    for (const remark of await writeTypes()) note(remark);
    return { function: id, file: shownPath(file) };
  },
});
