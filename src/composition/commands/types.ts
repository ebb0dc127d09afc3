import { Type } from "../../terms/schema/type.ts";
import { defineCommand } from "../../admin/cli/command.ts";

export default defineCommand({
  summary: "Write the types of all sources into the project, for the code of its functions",
  description:
    "Writes datarun-env.d.ts, by which the compiler and the editor know the inputs and the output of every source that a function calls with `run`, and tsconfig.json if the project has none. Sources that are off are included. `datarun dev`, `source new` and `function new` keep datarun-env.d.ts current.",
  example: "--project my-project --check",
  input: Type.Object(
    {
      project: Type.Optional(Type.String({ description: "The project folder", "x-placeholder": "DIR" })),
      check: Type.Optional(
        Type.Boolean({ description: "Write nothing; the exit code is 2 if datarun-env.d.ts is not current" }),
      ),
    },
    { additionalProperties: false },
  ),
  begin: async (input, { program }) => (await import("./write-types.ts")).writeTypes(input, program),
});
