/** Limits for one run's use of the bridge. The prelude counts, and the process counts again outside the isolate. */
export const CALLS_MAX = 100;
export const CALLS_AT_ONCE = 8;
export const PIPES_MAX = 100;
export const LOGS_MAX = 100;
export const LOG_CHARACTERS = 2_000;
export const ERROR_CHARACTERS = 300;
export const NAME_CHARACTERS = 128;
/** Limits the message that names a contract violation. */
export const PROBLEM_CHARACTERS = 1_000;
/** Limits a result, the inputs of one call, and all pipes of a run together, in UTF-8. */
export const JSON_BYTES = 1_048_576;
/** Limits the inputs of all calls of a run together. */
export const CALLS_BYTES = 16 * JSON_BYTES;
/** Limits the inputs of all calls without a reply; further calls wait. */
export const CALLS_BYTES_AT_ONCE = JSON_BYTES;
export const JSON_DEPTH = 64;
export const TIMERS_MAX = 100;
export const ALARMS_MAX = 10_000;
/** Recorded under `pipes` for a failed step; its own message is only logged. */
export const FAILED_STEP = '{"success":false,"message":"the step raised an error"}';
/** Limits a text to parse as a URL. */
export const URL_CHARACTERS = 32_768;
/** The parts of a URL that can be read and set. */
export const URL_PARTS = [
  "href",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;
/** Limits how many URLs a run may parse or change. */
export const URLS_MAX = 10_000;
/** The answer when the process has no time for the request; the isolate repeats it. */
export const NOT_NOW = "later";
export const RANDOM_BYTES = 65_536;
