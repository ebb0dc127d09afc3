import { isIP } from "node:net";
import type { Clock } from "../../terms/time/clock.ts";
import type { Resolve } from "./dns-resolve.ts";
import type { HostsFile } from "./hosts-file.ts";
import { answeredWithin } from "../../terms/time/within.ts";

const NAMES_MAX = 1_000;
const LOOPBACK = ["127.0.0.1", "::1"] as const;

/** The owner of names that are written in source files and settings. */
export const DECLARED = "";

interface CachedName {
  /** The owner whose look-up found it. All owners may use it. */
  readonly owner: string;
  readonly addresses: readonly string[];
  readonly until: number;
}

export interface LookupOptions {
  readonly clock: Clock;
  readonly resolve: Resolve;
  readonly hosts: HostsFile;
  readonly timeoutMs: number;
  readonly cacheMs: number;
}

/**
 * Resolves host names: IP addresses and `localhost` at once, other names by the hosts file, then by the name servers within
 * one time limit. Addresses are cached for a short time, and simultaneous look-ups of one name share one query. Failures
 * are not cached.
 *
 * If a source's origins are a pattern, its callers choose the names. So when the cache is full, the owner with the most
 * names loses its oldest: an organization that uses very many names cannot evict those of another organization, or of a
 * source with a fixed name.
 */
export class NameLookup {
  readonly #options: LookupOptions;
  readonly #cache = new Map<string, CachedName>();
  /** How many cached names each owner has. */
  readonly #counts = new Map<string, number>();
  readonly #pending = new Map<string, Promise<readonly string[]>>();

  constructor(options: LookupOptions) {
    this.#options = options;
  }

  async addressesOf(hostname: string, owner: string = DECLARED): Promise<readonly string[]> {
    if (isIP(hostname) !== 0) return [hostname];
    const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
    if (name === "localhost" || name.endsWith(".localhost")) return LOOPBACK;
    const known = this.#cache.get(name);
    if (known !== undefined && known.until > this.#options.clock.now()) return known.addresses;
    const pending = this.#pending.get(name);
    if (pending !== undefined) return pending;
    const asking = this.#lookUp(name, owner).finally(() => this.#pending.delete(name));
    this.#pending.set(name, asking);
    return asking;
  }

  async #lookUp(name: string, owner: string): Promise<readonly string[]> {
    const { clock, resolve, hosts, timeoutMs, cacheMs } = this.#options;
    const local = await hosts.addressesOf(name);
    if (local.length > 0) return local;
    const addresses = await answeredWithin(clock, timeoutMs, resolve(name), tooLate);
    this.#remove(name);
    if (this.#cache.size >= NAMES_MAX) this.#evictOne();
    this.#cache.set(name, { owner, addresses, until: clock.now() + cacheMs });
    this.#counts.set(owner, (this.#counts.get(owner) ?? 0) + 1);
    return addresses;
  }

  /** Removes the oldest name of the owner with the most names. */
  #evictOne(): void {
    let most: readonly [owner: string, count: number] = [DECLARED, 0];
    for (const each of this.#counts) if (each[1] > most[1]) most = each;
    for (const [name, { owner }] of this.#cache) if (owner === most[0]) return this.#remove(name);
  }

  #remove(name: string): void {
    const known = this.#cache.get(name);
    if (known === undefined) return;
    this.#cache.delete(name);
    const left = this.#counts.get(known.owner)! - 1;
    if (left === 0) this.#counts.delete(known.owner);
    else this.#counts.set(known.owner, left);
  }
}

function tooLate(): Error {
  return new Error("the name lookup took too long");
}
