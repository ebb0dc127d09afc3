import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../terms/clock.ts";
import { cookieHeader, cookieIn } from "../cookies.ts";

/**
 * A login under way: what a browser was sent to the provider with, and has to come back with. All of it is derived from
 * the browser's cookie, so that nothing is stored, no replica has to know of another's logins, and nobody can fill a
 * table with logins that never end. The cookie is authenticated, so that only a login that has begun here makes the service
 * ask the provider something.
 */
export interface LoginAttempt {
  /** Where the provider sends the browser: a page of the console at the origin that the login began at. */
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** PKCE. */
  readonly codeVerifier: string;
}

const ATTEMPT_MS = 10 * 60_000;
const COOKIE = "datarun-login";
const SEALED = /^([\w-]{43}\.(\d{1,15}))\.([\w-]{43})$/;

/** Of the deployment; the first makes cookies, and those of all are accepted, so that the root key can be changed. */
export type LoginKeys = readonly Uint8Array[];

/** The request has an `Origin` that is ours. Returns the value of `Set-Cookie` as well. */
export function beginAttempt(
  request: IncomingMessage,
  keys: LoginKeys,
  clock: Clock,
): LoginAttempt & { readonly cookie: string } {
  const secret = `${randomBytes(32).toString("base64url")}.${clock.wall()}`;
  const sealed = `${secret}.${sealOf(secret, keys[0]!).toString("base64url")}`;
  return { ...attemptOf(request, secret), cookie: cookieHeader(request, COOKIE, sealed, ATTEMPT_MS / 1_000) };
}

/** The login that this browser has begun within the last ten minutes, if it has. */
export function attemptIn(request: IncomingMessage, keys: LoginKeys, clock: Clock): LoginAttempt | null {
  const [, secret, begunAt, seal] = SEALED.exec(cookieIn(request, COOKIE) ?? "") ?? [];
  if (secret === undefined || Number(begunAt) + ATTEMPT_MS <= clock.wall()) return null;
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
