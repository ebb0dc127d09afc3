import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "./refusal.ts";

/** Names of the local machine. `0.0.0.0` is not one of them: it is an address to listen on. */
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Host names that a request may use, in lower case and without a port. */
export function allowedHosts(adminHosts: readonly string[]): ReadonlySet<string> {
  return new Set([...LOOPBACK, ...adminHosts.map((host) => host.toLowerCase())]);
}

/**
 * Refuses requests that a page of another site makes a browser send. Checks `Host`, because a foreign name may resolve
 * to this address (DNS rebinding) and the browser then takes the page for one of the service. Checks `Origin` and
 * `Sec-Fetch-Site`, because a page may send requests to any address. Other programs send neither of these two.
 * @throws Refusal `forbidden`
 */
export function refuseForeign(headers: IncomingHttpHeaders, hosts: ReadonlySet<string>): void {
  refuseForeignHost(headers, hosts);
  const { host = "", origin, "sec-fetch-site": site } = headers;
  const isForeign = origin !== undefined && !isOurs(origin, host);
  if (isForeign || (site !== undefined && site !== "same-origin" && site !== "none"))
    throw new Refusal("forbidden", "The admin API does not take requests from pages of other sites.");
}

/**
 * For content that is public, such as the console's page: a link on another site may lead to it.
 * @throws Refusal `forbidden`
 */
export function refuseForeignHost({ host = "" }: IncomingHttpHeaders, hosts: ReadonlySet<string>): void {
  if (hosts.has(nameOf(host))) return;
  throw new Refusal(
    "forbidden",
    "The admin API does not answer to this host name. If it is yours, add it to the setting admin_hosts.",
  );
}

/** Whether the page has the same host and port as the request. The scheme may differ behind a proxy. */
function isOurs(origin: string, host: string): boolean {
  const [, scheme, authority] = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase()) ?? [];
  return scheme !== undefined && authority === host.toLowerCase();
}

/** A host without its port. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d{1,5}$/, "");
}
