import { NOT_NOW, URL_CHARACTERS, URL_PARTS } from "../inside/bridge-limits.ts";

const SETTABLE: ReadonlySet<string> = new Set(URL_PARTS);
/** Time per tick of the event loop for answers, in ms. */
const TICK_MS = 4;

export type AnswerUrlRequest = (what: unknown, first: unknown, second: unknown, third: unknown) => string | null;

/**
 * Answers the synchronous requests of code in isolates: to parse or change a URL. Parsing has no side effects, but it
 * blocks the main thread of this process. So each tick of the event loop answers for a few milliseconds only. Later
 * requests get `NOT_NOW`: the isolate's own thread sleeps and asks again, and meanwhile this process reads the
 * service's messages.
 */
export function createUrlAnswers(): AnswerUrlRequest {
  let tickStartedAt: number | undefined;

  function isTickOver(): boolean {
    const now = performance.now();
    if (tickStartedAt === undefined) {
      tickStartedAt = now;
      setImmediate(() => {
        tickStartedAt = undefined;
      });
    }
    return now - tickStartedAt > TICK_MS;
  }

  return (what, first, second, third) => (isTickOver() ? NOT_NOW : answerUrlRequest(what, first, second, third));
}

/** Answers one request, without the time limit. */
export function answerUrlRequest(what: unknown, first: unknown, second: unknown, third: unknown): string | null {
  if (typeof first !== "string" || typeof second !== "string" || typeof third !== "string") return null;
  if (first.length + second.length + third.length > URL_CHARACTERS) return null;
  if (what === "url") return partsOf(URL.parse(first, second === "" ? undefined : second));
  if (what === "url-set" && SETTABLE.has(second)) return changed(first, second as "href", third);
  return null;
}

function changed(href: string, part: "href", value: string): string | null {
  const url = URL.parse(href);
  if (url === null) return null;
  try {
    url[part] = value;
  } catch {
    return null;
  }
  return partsOf(url);
}

function partsOf(url: URL | null): string | null {
  if (url === null) return null;
  const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = url;
  return JSON.stringify({ href, origin, protocol, username, password, host, hostname, port, pathname, search, hash });
}
