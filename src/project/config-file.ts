import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError, readSettings } from "../settings/read-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { resolveDatarunImports } from "./resolve-datarun-imports.ts";
import { refuseMisspelledVariables } from "./misspelled-variables.ts";
import { importDefault } from "../sources/import-default.ts";
import { didYouMean } from "../terms/text/nearest.ts";
import { VARIABLES } from "../terms/variables.ts";

const CONFIG_FILES = ["datarun.config.ts", "datarun.config.js", "datarun.config.mjs"];

/** The config file of a project folder, if it has one. */
export function configFileOf(folder: string): string | undefined {
  return configFilesOf(folder).find((file) => existsSync(file));
}

/** The paths at which a project folder may have its config file. */
export function configFilesOf(folder: string): readonly string[] {
  return CONFIG_FILES.map((name) => join(folder, name));
}

/** The given project folder, or the current folder if it has a config file. */
export function projectFolder(named: string | undefined, current: string): string | undefined {
  if (named !== undefined) return resolve(current, named);
  return configFileOf(current) === undefined ? undefined : current;
}

/** A remark for a user whose current folder has sources or functions but is not the project. */
export function folderRemark(project: string | undefined, current: string): string | null {
  if (project !== undefined) return null;
  const unread = ["sources", "functions"].find((name) => existsSync(join(current, name)));
  if (unread === undefined) return null;
  return `The folder "${unread}" here is not read: no project is named. Name it with "--project .", or add a ${CONFIG_FILES[0]}.`;
}

type CommandOptions = Readonly<Record<string, string | boolean | undefined>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** The project folder of a command line, by option, environment or current folder; `undefined` if there is none. */
export function projectOf(given: CommandOptions, environment: Environment, current: string): string | undefined {
  const named = (given["project"] as string | undefined) ?? environment[VARIABLES.project];
  return projectFolder(named === "" ? undefined : named, current);
}

/**
 * The settings of a service, from its command line (by the names of options), the environment and the config file of its
 * project. @throws ConfigError, LoadError
 */
export async function settingsFrom(given: CommandOptions, version?: string): Promise<Settings> {
  return readSettingsOf(projectOf(given, process.env, process.cwd()), given, process.env, version);
}

/**
 * Every setting, from options, environment and the project's config file, if there is one. @throws ConfigError,
 * LoadError
 */
export async function readSettingsOf(
  project: string | undefined,
  options: CommandOptions,
  environment: Environment,
  version?: string,
): Promise<Settings> {
  refuseMisspelledVariables(environment);
  if (project !== undefined && !existsSync(project))
    throw new ConfigError(`project: the folder ${project} does not exist`);
  const configFile = project === undefined ? undefined : configFileOf(project);
  if (configFile !== undefined) resolveDatarunImports([project!]);
  const file = configFile === undefined ? {} : await importDefault(configFile, version);
  if (typeof file !== "object" || file === null)
    throw new ConfigError(`${configFile} must export defineConfig({…}) by default`);
  return readSettings({
    options: { ...options, ...(project === undefined ? {} : { project }) },
    environment,
    file: project === undefined ? file : fromFolder(project, file),
    suggest: didYouMean,
  });
}

/** Resolves relative paths of a config file from its own folder, whatever the current folder is. */
function fromFolder(project: string, file: object): object {
  const { outbound } = file as { readonly outbound?: unknown };
  const hasGroup = typeof outbound === "object" && outbound !== null;
  return {
    ...withPathsFrom(project, file, ["data_dir", "catalog_data"]),
    ...(hasGroup && { outbound: withPathsFrom(project, outbound, ["ca_file"]) }),
  };
}

function withPathsFrom(folder: string, values: object, names: readonly string[]): object {
  const resolved = Object.entries(values).map(([name, value]: [string, unknown]) =>
    names.includes(name) && typeof value === "string" && value !== "" ? [name, resolve(folder, value)] : [name, value],
  );
  return Object.fromEntries(resolved) as object;
}
