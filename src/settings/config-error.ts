/** The settings cannot be used. The message names the setting and where its value came from, and no secret. */
export class ConfigError extends Error {}

/** The error for a file that a setting names and that cannot be read. */
export function cannotReadFile(setting: string, file: string, cause: unknown): ConfigError {
  const { code } = cause as NodeJS.ErrnoException;
  const says = code === "ENOENT" ? `there is no file ${file}` : `the file ${file} cannot be read (${code})`;
  return new ConfigError(`${setting}: ${says}`, { cause });
}
