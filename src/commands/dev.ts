import { defineCommand } from "../cli/command.ts";
import { SETTINGS_SAY, settingOptions, toGivenSettings } from "./setting-options.ts";

export default defineCommand({
  summary: "Start the service with reload on change and readable logs",
  description: SETTINGS_SAY,
  example: "--project my-project --demo",
  input: settingOptions,
  begin: async (input, { program }) => (await import("./serve.ts")).serve("dev", toGivenSettings(input), program),
});
