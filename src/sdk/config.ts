import type { DatarunConfig } from "../settings/settings.ts";

export type { DatarunConfig };

/** Adds the types of a config file, and returns its argument. */
export function defineConfig(config: DatarunConfig): DatarunConfig {
  return config;
}
