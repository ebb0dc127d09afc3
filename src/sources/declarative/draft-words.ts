import { METHODS } from "./format/format-words.ts";

/* The words by which a person says what the draft of a source should have: on the command line, and when asked. */

/** A reply to the other methods of the format has no record from which a draft could be made. */
export const DRAFT_METHODS: readonly string[] = METHODS.filter((method) => method !== "DELETE" && method !== "HEAD");
export const DRAFT_METHODS_SAID = `${DRAFT_METHODS.slice(0, -1).join(", ")} or ${DRAFT_METHODS.at(-1)!}`;
export const AUTH_WORDS =
  "none, basic, bearer, header:NAME, query:NAME, oauth2:LOGIN_URL, oauth2_password:LOGIN_URL, hmac:HEADER or mtls";
