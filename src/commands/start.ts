import { defineCommand } from "../cli/command.ts";
import { settingOptions, toGivenSettings } from "./setting-options.ts";

export default defineCommand({
  summary: "Start the service",
  description: "Each option is also an environment variable (DATARUN_PORT) and a key of datarun.config.ts.",
  example: "--port 9000 --project my-project",
  input: settingOptions,
  begin: async (input) => (await import("./serve.ts")).serve("start", toGivenSettings(input)),
});
