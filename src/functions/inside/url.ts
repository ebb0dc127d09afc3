import { parse, toText } from "./intrinsics.ts";
import { NOT_NOW, URL_CHARACTERS, URL_PARTS, URLS_MAX } from "./bridge-limits.ts";
import { FormParameters } from "./url-search-params.ts";

/** Asks the process outside to parse a URL. `null`: it is not a URL. */
export type Ask = (what: "url" | "url-set", first: string, second: string, third: string) => string | null;

/** Blocks the isolate's thread for some milliseconds. */
export type Pause = () => void;

type UrlPart = (typeof URL_PARTS)[number];
type UrlParts = Readonly<Record<UrlPart | "origin", string>>;

/**
 * `URL`. Node parses it in the process that runs the isolate; only texts are passed in and out. That process has other
 * work, so the number of requests per run is limited, and a run waits when the answer is `NOT_NOW`.
 */
export function urlClass(ask: Ask, pause: Pause): unknown {
  let requests = 0;

  function read(what: "url" | "url-set", first: string, second: string, third: string): UrlParts | null {
    if (first.length + second.length + third.length > URL_CHARACTERS) return null;
    requests += 1;
    if (requests > URLS_MAX) throw new RangeError("a run may parse or change URLs at most 10,000 times");
    let json = ask(what, first, second, third);
    while (json === NOT_NOW) {
      pause();
      json = ask(what, first, second, third);
    }
    return json === null ? null : (parse(json) as UrlParts);
  }

  class URL {
    #parts: UrlParts;
    #searchParams: FormParameters | undefined;

    constructor(url: unknown, base: unknown = "") {
      const parts = read("url", String(url), textOfBase(base), "");
      if (parts === null) throw new TypeError("Invalid URL");
      this.#parts = parts;
    }

    static canParse(url: unknown, base: unknown = ""): boolean {
      return read("url", String(url), textOfBase(base), "") !== null;
    }
    static parse(url: unknown, base: unknown = ""): URL | null {
      return URL.canParse(url, base) ? new URL(url, base) : null;
    }

    get origin(): string {
      return this.#parts.origin;
    }
    get searchParams(): FormParameters {
      this.#searchParams ??= new FormParameters(this.#parts.search, (text) => this.#change("search", text, true));
      return this.#searchParams;
    }
    #change(part: UrlPart, value: string, byParameters = false): void {
      const parts = read("url-set", this.#parts.href, part, value);
      if (parts === null && part === "href") throw new TypeError("Invalid URL");
      if (parts !== null) this.#parts = parts;
      if (!byParameters) this.#searchParams = undefined;
    }
    toString(): string {
      return this.#parts.href;
    }
    toJSON(): string {
      return this.#parts.href;
    }

    static {
      for (const part of URL_PARTS) {
        Object.defineProperty(this.prototype, part, {
          configurable: true,
          enumerable: true,
          get(this: URL) {
            return this.#parts[part];
          },
          set(this: URL, value: unknown) {
            this.#change(part, String(value));
          },
        });
      }
    }
  }
  return URL;
}

/** The base of a URL as text; it may be another URL. */
function textOfBase(base: unknown): string {
  return toText(base);
}
