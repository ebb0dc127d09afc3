import { defineCommand } from "../cli/command.ts";
import { SETTINGS_SAY, settingOptions, toGivenSettings } from "./setting-options.ts";

export default defineCommand({
  summary: "Start the service",
  description: SETTINGS_SAY,
  example: "--port 9000 --project my-project",
  input: settingOptions,
  begin: async (input, { program }) => (await import("./serve.ts")).serve("start", toGivenSettings(input), program),
});
