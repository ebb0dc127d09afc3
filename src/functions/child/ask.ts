import { NOT_NOW, URL_CHARACTERS } from "../inside/limits.ts";

const SETTABLE = new Set([
  "href",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
]);
/** How long one turn of the event loop may be answering. */
const TURN_MS = 4;

export type AnswerAsk = (what: unknown, first: unknown, second: unknown, third: unknown) => string | null;

/**
 * Makes what code in an isolate may ask for at once: the parsing of a URL. It reads nothing and reaches nothing, but it
 * runs on this process's own thread, and while somebody asks that thread does nothing else. So each turn of its event
 * loop answers for a few milliseconds; whoever asks after that waits in a thread of his own and asks again, and the
 * messages of the service are read meanwhile.
 */
export function createAnswers(): AnswerAsk {
  let turnBegan: number | undefined;

  function isTurnOver(): boolean {
    const now = performance.now();
    if (turnBegan === undefined) {
      turnBegan = now;
      setImmediate(() => {
        turnBegan = undefined;
      });
    }
    return now - turnBegan > TURN_MS;
  }

  return (what, first, second, third) => (isTurnOver() ? NOT_NOW : answerAsk(what, first, second, third));
}

/** Without regard to time. */
export function answerAsk(what: unknown, first: unknown, second: unknown, third: unknown): string | null {
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
