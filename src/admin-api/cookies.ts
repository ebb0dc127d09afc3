import type { IncomingMessage } from "node:http";

/**
 * Behind TLS the name has a prefix by which browsers accept the cookie from this very host only, and over TLS. So a
 * neighbouring host cannot plant one.
 */
function nameFor(request: IncomingMessage, name: string): string {
  return isSecure(request) ? `__Host-${name}` : name;
}

/** Browsers send `Origin` with every POST, and it does not depend on the proxy. */
function isSecure({ headers }: IncomingMessage): boolean {
  return headers.origin?.startsWith("https://") === true;
}

/** The value of `Set-Cookie`. No script reads such a cookie, and no request that another site causes has it. */
export function cookieHeader(request: IncomingMessage, name: string, value: string, seconds: number): string {
  const secure = isSecure(request) ? "; Secure" : "";
  return `${nameFor(request, name)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}

export function cookieIn(request: IncomingMessage, name: string): string | undefined {
  const wanted = nameFor(request, name);
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const [key = "", value = ""] = pair.trim().split("=");
    if (key === wanted) return value;
  }
  return undefined;
}
