import { defineCommand } from "../../admin/cli/command.ts";
import { SETTINGS_NOTE, settingOptions, toSettingOptions } from "./setting-options.ts";

export default defineCommand({
  summary: "Start the service",
  description: SETTINGS_NOTE,
  example: "--port 9000 --project my-project",
  input: settingOptions,
  begin: async (input, { program }) => (await import("./serve.ts")).serve("start", toSettingOptions(input), program),
});
