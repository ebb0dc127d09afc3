import { defineCommand } from "../cli/command.ts";
import { settingOptions, toGivenSettings } from "./setting-options.ts";

export default defineCommand({
  summary: "Start the service with reload on change and readable logs",
  description: "Each option is also an environment variable (DATARUN_PORT) and a key of datarun.config.ts.",
  example: "--project my-project --demo",
  input: settingOptions,
  begin: async (input) => (await import("./serve.ts")).serve("dev", toGivenSettings(input)),
});
