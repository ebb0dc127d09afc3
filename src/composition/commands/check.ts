import { Type } from "../../terms/schema/type.ts";
import { defineCommand } from "../../admin/cli/command.ts";
import { CHECK_CODES } from "./check/findings.ts";
import { settingOptions } from "./setting-options.ts";

export default defineCommand({
  summary: "Check settings, sources, functions, store and disk without starting anything",
  description:
    "It uses the same code as a start, takes the same options, and reports the same errors. It creates and changes nothing, and a service may run meanwhile. The exit code is 1 if there is any finding.",
  example: "--project my-project --production --connect",
  input: Type.Object(
    {
      production: Type.Optional(Type.Boolean({ description: "Also report findings that matter only in production" })),
      connect: Type.Optional(
        Type.Boolean({ description: "Also connect to the origins of all sources that are on, and send nothing" }),
      ),
      ignore: Type.Optional(
        Type.Array(Type.Enum([...CHECK_CODES]), {
          description: "Leave out findings with this code",
          "x-placeholder": "CODE",
          "x-says": "must be a code of a finding, such as project.no_cases",
        }),
      ),
      json: Type.Optional(Type.Boolean({ description: "Print one JSON value on standard output and nothing else" })),
      ...settingOptions.properties,
    },
    { additionalProperties: false },
  ),
  begin: async (input, { program }) => (await import("./check/run-check.ts")).runCheck(input, program),
});
