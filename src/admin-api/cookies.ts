import type { IncomingMessage } from "node:http";

/**
 * Behind TLS the name has a prefix by which browsers accept the cookie from this very host only, and over TLS. So a
 * neighbouring host cannot plant one.
 */
function nameFor(request: IncomingMessage, name: string): string {
  return isSecure(request) ? `__Host-${name}` : name;
}

/** To a GET for its own host a browser adds no `Origin`. It changes nothing, and may have either, the safer one first. */
function namesIn(request: IncomingMessage, name: string): readonly string[] {
  return request.headers.origin === undefined ? [`__Host-${name}`, name] : [nameFor(request, name)];
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
  const sent = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim().split("="));
  for (const wanted of namesIn(request, name)) {
    const found = sent.find(([key]) => key === wanted);
    if (found !== undefined) return found[1] ?? "";
  }
  return undefined;
}
