import { hash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../terms/clock.ts";
import { cookieHeader, cookieIn } from "../cookies.ts";

/**
 * A login under way: what a browser was sent to the provider with, and has to come back with. All of it is derived from
 * the browser's cookie, so that nothing is stored, no replica has to know of another's logins, and nobody can fill a
 * table with logins that never end.
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
const SECRET = /^[\w-]{43}\.(\d{1,15})$/;

/** The request has an `Origin` that is ours. Returns the value of `Set-Cookie` as well. */
export function beginAttempt(request: IncomingMessage, clock: Clock): LoginAttempt & { readonly cookie: string } {
  const secret = `${randomBytes(32).toString("base64url")}.${clock.wall()}`;
  return { ...attemptOf(request, secret), cookie: cookieHeader(request, COOKIE, secret, ATTEMPT_MS / 1_000) };
}

/** The login that this browser has begun within the last ten minutes, if it has. */
export function attemptIn(request: IncomingMessage, clock: Clock): LoginAttempt | null {
  const secret = cookieIn(request, COOKIE);
  const [, begunAt] = SECRET.exec(secret ?? "") ?? [];
  if (secret === undefined || begunAt === undefined) return null;
  // Who changes the time changes the state as well, which the provider has been given.
  return Number(begunAt) + ATTEMPT_MS <= clock.wall() ? null : attemptOf(request, secret);
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
