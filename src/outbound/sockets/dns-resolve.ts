import { lookup, Resolver } from "node:dns/promises";
import type { Clock } from "../../terms/time/clock.ts";

/** Resolves a host name to its addresses. Rejects if it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * How long the addresses of one family wait for those of the other. Some name servers never answer for one of the two.
 */
const OTHER_FAMILY_MS = 50;

/**
 * Asks the name servers through c-ares, which needs no thread. `getaddrinfo` may use only two of the four threads, so two
 * names without an answer would block all others. Names without a dot depend on the machine's search domains, so they are
 * still resolved by `getaddrinfo`.
 */
export function dnsResolve(clock: Clock, timeoutMs: number, servers?: readonly string[]): Resolve {
  const makeResolver = (): Resolver => {
    const resolver = new Resolver({ timeout: Math.max(1, Math.round(timeoutMs / 2)), tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    return resolver;
  };
  let resolver = makeResolver();
  return async (hostname) => {
    if (!hostname.includes(".")) {
      return (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);
    }
    try {
      return await bothFamilies(clock, resolver.resolve4(hostname), resolver.resolve6(hostname));
    } catch (error) {
      // A resolver reads the list of servers once; after a change of the network only a new one knows the current
      // servers.
      resolver = makeResolver();
      throw error;
    }
  };
}

function bothFamilies(
  clock: Clock,
  four: Promise<readonly string[]>,
  six: Promise<readonly string[]>,
): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const found: [readonly string[], readonly string[]] = [[], []];
    let pending = 2;
    let stopWaiting: (() => void) | null = null;
    const finish = (failure?: unknown): void => {
      stopWaiting?.();
      const addresses = found.flat();
      if (addresses.length > 0) resolve(addresses);
      else reject(failure instanceof Error ? failure : new Error("the host name has no address"));
    };
    const arrive = (family: 0 | 1, addresses: readonly string[], failure?: unknown): void => {
      found[family] = addresses;
      pending -= 1;
      if (pending === 0) finish(failure);
      else if (addresses.length > 0) stopWaiting = clock.after(OTHER_FAMILY_MS, finish);
    };
    for (const [family, result] of [four, six].entries()) {
      result.then(
        (addresses) => arrive(family as 0 | 1, addresses),
        (error: unknown) => arrive(family as 0 | 1, [], error),
      );
    }
  });
}
