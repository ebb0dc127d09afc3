import { defineCommand } from "../../admin/cli/command.ts";
import { Type } from "../../terms/schema/type.ts";
import { deploymentOptions, jsonOption, textOption } from "./option-schemas.ts";

export default defineCommand({
  summary: "Make organizations, workflows, credentials, tokens, budgets and operators as a file describes them",
  description:
    "The file identifies each object by its key. Objects without a key are not touched. Values of credentials are read here, from ${env:NAME} and ${file:PATH}, and new tokens are printed once or written to --tokens-out. Nothing is disabled, revoked or removed without --prune, and runs and charges never are. Exit codes: 0 the store is as described, 1 failed, 2 usage error. With --plan nothing is changed, and they are: 0 nothing to do, 2 there are changes, 3 some of them undo what was changed by hand since a file was last applied, 1 failed.",
  example: "-f state.yaml --plan",
  input: Type.Object(
    {
      file: Type.Optional(
        Type.String({ minLength: 1, description: "The state file", "x-placeholder": "FILE", "x-short": "f" }),
      ),
      plan: Type.Optional(Type.Boolean({ description: "Show what would change, and change nothing" })),
      out: textOption("With --plan: write the plan to this file, which must not exist yet", "PLAN"),
      plan_file: textOption("In place of --file: apply this plan, unless the store has changed since", "PLAN"),
      prune: Type.Optional(
        Type.Boolean({
          description:
            "Also disable, revoke or remove objects with a key that the file does not describe, and those that it replaces",
        }),
      ),
      tokens_out: textOption("Write new tokens to this file, which must not exist yet, and do not print them", "FILE"),
      ...deploymentOptions,
      json: jsonOption,
    },
    { additionalProperties: false },
  ),
  begin: async (input, { program }) => (await import("./apply/begin-apply.ts")).beginApply(input, program),
});
