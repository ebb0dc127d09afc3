import { METHODS } from "./format/format-words.ts";

/* The options for the draft of a source, on the command line and in interactive questions. */

/** Replies to the other methods have no record to make a draft from. */
export const DRAFT_METHODS: readonly string[] = METHODS.filter((method) => method !== "DELETE" && method !== "HEAD");
export const DRAFT_METHODS_LIST = `${DRAFT_METHODS.slice(0, -1).join(", ")} or ${DRAFT_METHODS.at(-1)!}`;
export const AUTH_WORDS =
  "none, basic, bearer, header:NAME, query:NAME, oauth2:LOGIN_URL, oauth2_password:LOGIN_URL, hmac:HEADER, http_digest or mtls";
