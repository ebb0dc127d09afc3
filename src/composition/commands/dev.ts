import { defineCommand } from "../../admin/cli/command.ts";
import { SETTINGS_NOTE, settingOptions, toSettingOptions } from "./setting-options.ts";

export default defineCommand({
  summary: "Start the service with reload on change and readable logs",
  description: SETTINGS_NOTE,
  example: "--project my-project --demo",
  input: settingOptions,
  begin: async (input, { program }) => (await import("./serve.ts")).serve("dev", toSettingOptions(input), program),
});
