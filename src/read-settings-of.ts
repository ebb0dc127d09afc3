import { configFileOf, ConfigError, readSettings, type Settings } from "./config.ts";
import { letProjectsImport } from "./project.ts";
import { importDefault } from "./sources/load-source.ts";

/** Every setting, by options, environment and the config file of the project folder, if it has one. @throws ConfigError */
export async function readSettingsOf(
  project: string | undefined,
  options: Readonly<Record<string, string | boolean | undefined>>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Settings> {
  const configFile = project === undefined ? undefined : configFileOf(project);
  if (configFile !== undefined) letProjectsImport([project!]);
  const file = configFile === undefined ? {} : await importDefault(configFile);
  if (typeof file !== "object" || file === null)
    throw new ConfigError(`${configFile} must export defineConfig({…}) by default`);
  return readSettings({ options: { ...options, ...(project === undefined ? {} : { project }) }, environment, file });
}
