/** Why somebody could not log in with the identity provider. Its message is for that person. */
export class ProviderProblem extends Error {
  /** The service or the provider is to blame, and not who wants to log in. */
  readonly isOurs: boolean;
  constructor(message: string, isOurs: boolean, cause: unknown) {
    super(message, { cause });
    this.name = "ProviderProblem";
    this.isOurs = isOurs;
  }
}

/** What the protocol calls an error; other texts in its place may be anybody's. */
const ERROR_NAME = /^[a-z_]{1,40}$/;
/** The errors by which a provider refuses what it was sent: a code that is used up, too old, or of another login. */
const OF_THE_LOGIN = new Set(["invalid_grant", "invalid_request"]);

/** Puts what `openid-client` or the network threw into a sentence. `login`: while the answer for a login was looked at. */
export function problemOf(thrown: unknown, host: string, seconds: number, login: boolean): ProviderProblem {
  const ours = (says: string) => new ProviderProblem(`The identity provider (${host}) ${says}.`, true, thrown);
  const theirs = (says: string) => new ProviderProblem(`${says} Log in again.`, false, thrown);
  const { name, error, code, cause } = thrown as ThrownByClient;
  const called = typeof error === "string" && ERROR_NAME.test(error) ? error : "for a reason that cannot be read";

  if (name === "AuthorizationResponseError") return theirs(`The identity provider did not let you in (${called}).`);
  if (name === "ResponseBodyError" || name === "WWWAuthenticateChallengeError")
    return OF_THE_LOGIN.has(called)
      ? theirs("The identity provider does not know this login any more.")
      : ours(`does not take this service's requests (${called}): see oidc.client_id and oidc.client_secret`);
  if (code === "OAUTH_TIMEOUT") return ours(`has not answered within ${seconds} seconds`);
  if (code === "OAUTH_RESPONSE_IS_NOT_CONFORM") return ours(`answered with the status ${statusOf(cause)}`);
  if (login && CODES_OF_LOGIN.has(code ?? ""))
    return theirs("What the identity provider sent does not belong to this login.");
  const network = networkCodeOf(thrown);
  return ours(network === null ? "gave an answer that cannot be used" : `cannot be reached (${network})`);
}

/** The errors of OAuth 2.0 and OpenID Connect. What a browser brings back may be any text. */
const KNOWN_ERRORS = new Set([
  "access_denied",
  "account_selection_required",
  "consent_required",
  "insufficient_scope",
  "interaction_required",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "invalid_token",
  "login_required",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
]);

/** One of few words for the log: the provider's own error, its status, or the code of what failed. */
export function causeOfFailure(thrown: unknown): string {
  const { error, code, cause } = thrown as ThrownByClient;
  if (typeof error === "string") return KNOWN_ERRORS.has(error) ? error : "another error of the provider";
  if (code === "OAUTH_RESPONSE_IS_NOT_CONFORM") return `status ${statusOf(cause)}`;
  const ofClient = code?.startsWith("OAUTH_") === true ? code : null;
  return networkCodeOf(thrown) ?? ofClient ?? "an answer that cannot be used";
}

/** State, nonce, issuer, audience, times, signature: a mistake, or somebody who tries. */
const CODES_OF_LOGIN = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
]);

interface ThrownByClient {
  readonly name?: string;
  readonly error?: unknown;
  readonly code?: string;
  readonly cause?: unknown;
}

function statusOf(cause: unknown): string {
  return cause instanceof Response ? String(cause.status) : "of a failure";
}

/** Such as ECONNREFUSED or CERT_HAS_EXPIRED: of the innermost error that has one. */
function networkCodeOf(thrown: unknown): string | null {
  let found: string | null = null;
  for (let each = thrown; each instanceof Error; each = each.cause) {
    const { code, errors } = each as { readonly code?: unknown; readonly errors?: readonly { code?: unknown }[] };
    const own = code ?? errors?.[0]?.code;
    if (typeof own === "string" && /^[A-Z][A-Z0-9_]+$/.test(own) && !own.startsWith("OAUTH_")) found = own;
  }
  return found;
}
