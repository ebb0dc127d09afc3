import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "./refusal.ts";

/** The names by which a machine calls itself. `0.0.0.0` is none of them: it is an address to listen on. */
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** The names, in lower case and without a port, that a request may give as its host. */
export function allowedHosts(adminHosts: readonly string[]): ReadonlySet<string> {
  return new Set([...LOOPBACK, ...adminHosts.map((host) => host.toLowerCase())]);
}

/**
 * Refuses what a page of another site makes a browser send. By `Host`, because a foreign name may resolve to this very
 * address (DNS rebinding), and then the browser takes the page for one of ours; by `Origin` and `Sec-Fetch-Site`,
 * because a page may send requests to any address. Programs other than browsers send neither of the two.
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
 * For what is the same for everybody, such as the console's page, to which a link of another site may lead.
 * @throws Refusal `forbidden`
 */
export function refuseForeignHost({ host = "" }: IncomingHttpHeaders, hosts: ReadonlySet<string>): void {
  if (hosts.has(nameOf(host))) return;
  throw new Refusal(
    "forbidden",
    "The admin API does not answer to this host name. If it is yours, add it to the setting admin_hosts.",
  );
}

/** The host of a page has to be the one that it asks, port included. Its scheme may differ behind a proxy. */
function isOurs(origin: string, host: string): boolean {
  const [, scheme, place] = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase()) ?? [];
  return scheme !== undefined && place === host.toLowerCase();
}

/** A host without its port. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d{1,5}$/, "");
}
