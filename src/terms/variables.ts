/**
 * Environment variables that code reads by name. Those of other settings are derived from the settings table, and a
 * test compares these names with it.
 */
export const VARIABLES = {
  dataDir: "DATARUN_DATA_DIR",
  project: "DATARUN_PROJECT",
  rootKey: "DATARUN_ROOT_KEY",
  rootKeyFile: "DATARUN_ROOT_KEY_FILE",
  databaseUrl: "DATABASE_URL",
  databaseUrlFile: "DATABASE_URL_FILE",
} as const;

/** Variables of an operator's commands, which are not settings. */
export const COMMAND_VARIABLES = {
  /** `1`: an unexpected error is shown with its stack. */
  debug: "DATARUN_DEBUG",
  /** The address of an admin port. */
  remote: "DATARUN_REMOTE",
  operatorToken: "DATARUN_OPERATOR_TOKEN",
  /** The address of a public port, and what a caller of it sends. */
  url: "DATARUN_URL",
  token: "DATARUN_TOKEN",
  workflow: "DATARUN_WORKFLOW",
} as const;
