import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../../terms/time/clock.ts";
import { cookieHeader, cookieIn } from "../cookies.ts";

/**
 * The values that a browser takes to the provider and has to bring back. They are derived from the browser's cookie, so
 * nothing is stored, replicas share nothing, and unfinished logins take no memory. The cookie is authenticated, so the
 * service calls the provider only for logins that started here.
 */
export interface LoginAttempt {
  /** The page of the console to which the provider sends the browser, at the origin where the login started. */
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** PKCE. */
  readonly codeVerifier: string;
}

const ATTEMPT_MS = 10 * 60_000;
const COOKIE = "datarun-login";
const SEALED = /^([\w-]{43}\.(\d{1,15}))\.([\w-]{43})$/;

/**
 * The root keys of the deployment. The first makes cookies; all of them verify cookies, so that the root key can be
 * changed.
 */
export type LoginKeys = readonly Uint8Array[];

/** Starts a login and returns the value of `Set-Cookie` too. The `Origin` of the request must have been checked. */
export function beginAttempt(
  request: IncomingMessage,
  keys: LoginKeys,
  clock: Clock,
): LoginAttempt & { readonly cookie: string } {
  const secret = `${randomBytes(32).toString("base64url")}.${clock.wall()}`;
  const sealed = `${secret}.${sealOf(secret, keys[0]!).toString("base64url")}`;
  return { ...attemptOf(request, secret), cookie: cookieHeader(request, COOKIE, sealed, ATTEMPT_MS / 1_000) };
}

/** The login that this browser started within the last ten minutes, if any. */
export function attemptIn(request: IncomingMessage, keys: LoginKeys, clock: Clock): LoginAttempt | null {
  const [, secret, startedAt, seal] = SEALED.exec(cookieIn(request, COOKIE) ?? "") ?? [];
  if (secret === undefined || Number(startedAt) + ATTEMPT_MS <= clock.wall()) return null;
  const given = Buffer.from(seal!, "base64url");
  return keys.some((key) => timingSafeEqual(sealOf(secret, key), given)) ? attemptOf(request, secret) : null;
}

function sealOf(secret: string, key: Uint8Array): Buffer {
  return createHmac("sha256", key).update(secret).digest();
}

/** The value of `Set-Cookie` that removes the cookie. */
export function forgetAttempt(request: IncomingMessage): string {
  return cookieHeader(request, COOKIE, "", 0);
}

function attemptOf({ headers }: IncomingMessage, secret: string): LoginAttempt {
  const derive = (what: string) => hash("sha256", `${what} ${secret}`, "base64url");
  return {
    redirectUri: `${headers.origin}/console/login`,
    state: derive("state"),
    nonce: derive("nonce"),
    codeVerifier: derive("code verifier"),
  };
}
