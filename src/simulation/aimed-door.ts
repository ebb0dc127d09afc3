import type { Door, RunnableSource } from "../run/ports.ts";
import type { Http, HttpOptions, Reply } from "../sdk/http.ts";
import { isDeclaredOrigin } from "../terms/origins.ts";

/** Where a declared origin is played; starts the player if there is none yet. */
export type PlayedAt = (origin: string) => Promise<string>;

/**
 * The real door with one thing changed: a request to a declared origin arrives where that origin is played. An address
 * of no declared origin goes on as it is, and the door refuses it. The players speak plain HTTP, so that a client
 * certificate stays behind. `redirectsTo`: where else the players may send it.
 */
export function aimDoor(
  door: Door,
  source: RunnableSource,
  playedAt: PlayedAt,
  redirectsTo: readonly string[] = [],
): Door {
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

/** Scheme and authority as they are written, whatever their case. */
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
