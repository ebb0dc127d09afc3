/** What one run may do through the bridge. The prelude counts, and the process counts again outside the isolate. */
export const CALLS_MAX = 100;
export const CALLS_AT_ONCE = 8;
export const PIPES_MAX = 100;
export const LOGS_MAX = 100;
export const LOG_CHARACTERS = 2_000;
export const ERROR_CHARACTERS = 300;
export const NAME_CHARACTERS = 128;
/** Limits the sentence that says what breaks a contract. */
export const PROBLEM_CHARACTERS = 1_000;
/** Limits a result, the inputs of one call, and all pipes of a run together, in UTF-8. */
export const JSON_BYTES = 1_048_576;
/** Limits the inputs of all calls of a run. */
export const CALLS_BYTES = 16 * JSON_BYTES;
/** Limits the inputs of calls without a reply; further calls wait. */
export const CALLS_BYTES_AT_ONCE = JSON_BYTES;
export const JSON_DEPTH = 64;
export const TIMERS_MAX = 100;
export const ALARMS_MAX = 10_000;
/** What a failed step leaves under `pipes`; its own message is only logged. */
export const FAILED_STEP = '{"success":false,"message":"the step raised an error"}';
/** Limits a text that is to be parsed as a URL. */
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
/** How often one run may have a URL parsed or changed. */
export const URLS_MAX = 10_000;
/** Given instead of an answer if the process has no time now: the question is then repeated. */
export const NOT_NOW = "later";
export const RANDOM_BYTES = 65_536;
