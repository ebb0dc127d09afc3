/** The settings cannot be used. The message names the setting and where its value came from, and no secret. */
export class ConfigError extends Error {}
