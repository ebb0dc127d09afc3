/** Why a login with the identity provider failed. The message is for the person who logs in. */
export class ProviderProblem extends Error {
  /** Whether the service or the provider is at fault, and not the person. */
  readonly isOurs: boolean;
  constructor(message: string, isOurs: boolean, cause: unknown) {
    super(message, { cause });
    this.name = "ProviderProblem";
    this.isOurs = isOurs;
  }
}

/** The form of the protocol's error codes. Other texts may come from anyone. */
const ERROR_NAME = /^[a-z_]{1,40}$/;
/** The errors by which a provider refuses a code: used, expired, or of another login. */
const OF_THE_LOGIN = new Set(["invalid_grant", "invalid_request"]);

/**
 * Describes an error of `openid-client` or the network in a sentence. `login`: during the check of a login's answer.
 */
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

/** The errors of OAuth 2.0 and OpenID Connect. A browser may bring back any text. */
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

/** A short reason for the log: the provider's error code, its status, or the code of the failure. */
export function causeOfFailure(thrown: unknown): string {
  const { error, code, cause } = thrown as ThrownByClient;
  if (typeof error === "string") return KNOWN_ERRORS.has(error) ? error : "another error of the provider";
  if (code === "OAUTH_RESPONSE_IS_NOT_CONFORM") return `status ${statusOf(cause)}`;
  const ofClient = code?.startsWith("OAUTH_") === true ? code : null;
  return networkCodeOf(thrown) ?? ofClient ?? "an answer that cannot be used";
}

/** Checks of state, nonce, issuer, audience, times and signature: a misconfiguration, or an attack. */
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

/** The code, such as ECONNREFUSED or CERT_HAS_EXPIRED, of the innermost error that has one. */
function networkCodeOf(thrown: unknown): string | null {
  let found: string | null = null;
  for (let each = thrown; each instanceof Error; each = each.cause) {
    const { code, errors } = each as { readonly code?: unknown; readonly errors?: readonly { code?: unknown }[] };
    const own = code ?? errors?.[0]?.code;
    if (typeof own === "string" && /^[A-Z][A-Z0-9_]+$/.test(own) && !own.startsWith("OAUTH_")) found = own;
  }
  return found;
}
