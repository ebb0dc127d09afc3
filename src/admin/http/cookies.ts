import type { IncomingMessage } from "node:http";

/**
 * Behind TLS the name has the prefix `__Host-`: browsers then accept the cookie only from this host and over TLS, so a
 * neighbouring host cannot plant one.
 */
function nameFor(request: IncomingMessage, name: string): string {
  return isSecure(request) ? `__Host-${name}` : name;
}

/**
 * A browser adds no `Origin` to a GET of its own host. Such a request changes nothing and may use either cookie, the
 * safer one first.
 */
function namesIn(request: IncomingMessage, name: string): readonly string[] {
  return request.headers.origin === undefined ? [`__Host-${name}`, name] : [nameFor(request, name)];
}

/** Browsers send `Origin` with every POST, and no proxy changes it. */
function isSecure({ headers }: IncomingMessage): boolean {
  return headers.origin?.startsWith("https://") === true;
}

/** The value of `Set-Cookie`. Scripts cannot read the cookie, and requests caused by other sites do not carry it. */
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
