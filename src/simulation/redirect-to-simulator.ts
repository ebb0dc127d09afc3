import type { VendorClient, RunnableSource } from "../run/ports.ts";
import type { Http, HttpOptions, Reply } from "../sdk/http.ts";
import { isDeclaredOrigin } from "../terms/http/origins.ts";

/** Returns the address that simulates a declared origin. Starts a server if there is none yet. */
export type SimulatorAddress = (origin: string) => Promise<string>;

/**
 * The real outbound client with one change: a request to a declared origin is sent to the server that simulates it. A
 * request to any other origin is passed on unchanged, and refused as usual. The servers speak plain HTTP, so client
 * certificates are not used. `redirectsTo`: further origins to which the servers may redirect.
 */
export function redirectToSimulator(
  door: VendorClient,
  source: RunnableSource,
  playedAt: SimulatorAddress,
  redirectsTo: readonly string[] = [],
): VendorClient {
  const declared = source.declaration.origins ?? [];
  return {
    httpFor(_, call) {
      const request = async (method: string, url: string, options: HttpOptions = {}): Promise<Reply> => {
        const origin = URL.parse(url)?.origin;
        if (origin === undefined || !isDeclaredOrigin(origin, declared)) {
          return door.httpFor(source, call).request(method, url, options);
        }
        const played = await playedAt(origin);
        const aimed = `${played}${url.slice(originLength(url))}`;
        const { tls: _, ...rest } = options;
        return door.httpFor(movedTo(source, [played, ...redirectsTo]), call).request(method, aimed, rest);
      };
      return httpOf(request);
    },
  };
}

/** Length of scheme and authority, in any letter case. */
function originLength(url: string): number {
  return /^[a-z]+:\/\/[^/?#]*/i.exec(url)![0].length;
}

function movedTo(source: RunnableSource, origins: readonly string[]): RunnableSource {
  return { ...source, declaration: { ...source.declaration, origins } };
}

export function httpOf(request: Http["request"]): Http {
  return {
    request,
    get: (url, options) => request("GET", url, options),
    post: (url, options) => request("POST", url, options),
    put: (url, options) => request("PUT", url, options),
  };
}
