import { Type } from "../../terms/schema/type.ts";
import { defineCommand } from "../../admin/cli/command.ts";
import { CHECK_CODES } from "./check/findings.ts";
import { settingOptions } from "./setting-options.ts";
import { jsonOption } from "./option-schemas.ts";

export default defineCommand({
  summary: "Check settings, sources, functions, store and disk without starting anything",
  description:
    "It uses the same code as a start, takes the same options, and reports the same errors. It creates and changes nothing, and a service may run meanwhile. --against-store shows what a start would change. The exit code is 1 if there is any finding; otherwise 3 if --against-store shows a function or source that is new or changed; otherwise 0.",
  example: "--project my-project --production --connect",
  input: Type.Object(
    {
      production: Type.Optional(Type.Boolean({ description: "Also report findings that matter only in production" })),
      connect: Type.Optional(
        Type.Boolean({ description: "Also connect to the origins of all sources that are on, and send nothing" }),
      ),
      against_store: Type.Optional(
        Type.Boolean({
          description:
            "Also compare functions and sources with the versions last registered in the store, and show how they differ",
        }),
      ),
      ignore: Type.Optional(
        Type.Array(Type.Enum([...CHECK_CODES]), {
          description: "Leave out findings with this code",
          "x-placeholder": "CODE",
          "x-says": "must be a code of a finding, such as project.no_cases",
        }),
      ),
      json: jsonOption,
      ...settingOptions.properties,
    },
    { additionalProperties: false },
  ),
  begin: async (input, { program }) => (await import("./check/run-check.ts")).runCheck(input, program),
});
