import { readFile } from "node:fs/promises";
import { parseObject, textOf } from "./member-of.ts";
import { SecretUnavailable } from "./secret-unavailable.ts";
import type { SecretReply } from "./ports.ts";
import type { Clock } from "../../terms/time/clock.ts";

export interface ShortLivedToken {
  readonly token: string;
  readonly lifetimeMs: number;
}

/** The share of its lifetime after which a token is replaced. */
const USED_SHARE = 0.8;

/** A token of a store of secrets, fetched once at a time and kept for most of its lifetime. */
export class StoreLogin {
  readonly #clock: Clock;
  readonly #fetch: () => Promise<ShortLivedToken>;
  #token: Promise<ShortLivedToken> | null = null;
  #until = 0;

  constructor(clock: Clock, fetch: () => Promise<ShortLivedToken>) {
    this.#clock = clock;
    this.#fetch = fetch;
  }

  async get(): Promise<string> {
    if (this.#token === null || this.#clock.now() >= this.#until) {
      this.#until = Infinity;
      const fetching = this.#fetch();
      this.#token = fetching;
      fetching.then(
        ({ lifetimeMs }) => (this.#until = this.#clock.now() + lifetimeMs * USED_SHARE),
        () => this.drop(),
      );
    }
    return (await this.#token).token;
  }

  /** The next `get` fetches another one. */
  drop(): void {
    this.#token = null;
  }
}

/** The token of an OAuth 2 reply. @throws SecretUnavailable */
export function tokenIn({ status, text }: SecretReply): ShortLivedToken {
  const reply = parseObject(text);
  if (status !== 200 || reply === null) throw new SecretUnavailable(`no access token was given (${status})`);
  const seconds = Number(reply["expires_in"]);
  return { token: textOf(reply, "access_token"), lifetimeMs: Number.isFinite(seconds) ? seconds * 1_000 : 300_000 };
}

/** The token of a pod, read again for each use: the platform replaces its file before it expires. @throws SecretUnavailable */
export async function readTokenFile(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new SecretUnavailable(`the file with the token of the pod cannot be read (${code})`, { cause });
  }
}
