import type { DatarunConfig } from "../settings/settings.ts";

export type { DatarunConfig };

/** Gives the config file its types; it returns what it was given. */
export function defineConfig(config: DatarunConfig): DatarunConfig {
  return config;
}
