/** What one run may do through the bridge. The prelude counts, and the service counts again outside. */
export const CALLS_MAX = 100;
export const CALLS_AT_ONCE = 8;
export const PIPES_MAX = 100;
export const LOGS_MAX = 100;
export const LOG_CHARACTERS = 2_000;
export const ERROR_CHARACTERS = 300;
export const NAME_CHARACTERS = 128;
/** Of the sentence that says what breaks a contract. */
export const PROBLEM_CHARACTERS = 1_000;
/** Of a result, of one call's inputs, and of all pipes of a run together, in UTF-8. */
export const JSON_BYTES = 1_048_576;
/** Of the inputs of all calls of a run. */
export const CALLS_BYTES = 16 * JSON_BYTES;
/** Of those that have no reply yet; further calls wait their turn. */
export const CALLS_BYTES_AT_ONCE = JSON_BYTES;
export const JSON_DEPTH = 64;
export const TIMERS_MAX = 100;
export const ALARMS_MAX = 10_000;
/** What a failed step leaves under `pipes`; its own words go to the log only. */
export const FAILED_STEP = '{"success":false,"message":"the step raised an error"}';
/** Of a text handed out for parsing as a URL. */
export const URL_CHARACTERS = 32_768;
/** How often one run may have a URL parsed or changed. */
export const URLS_MAX = 10_000;
/** What stands for an answer where the process has no time just now: it is asked again. */
export const NOT_NOW = "later";
export const RANDOM_BYTES = 65_536;
