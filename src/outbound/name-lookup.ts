import { isIP } from "node:net";
import type { Clock } from "../terms/clock.ts";
import type { Resolve } from "./dns-resolve.ts";
import type { HostsFile } from "./hosts-file.ts";

const NAMES_MAX = 1_000;
const LOOPBACK = ["127.0.0.1", "::1"] as const;

interface Known {
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
 * Host names to addresses: literals and localhost at once, then the hosts file, then the name servers within one time
 * limit. Answers are kept for a short while and several questions for one name are one question; failures are not kept.
 */
export class NameLookup {
  readonly #options: LookupOptions;
  readonly #known = new Map<string, Known>();
  readonly #asked = new Map<string, Promise<readonly string[]>>();

  constructor(options: LookupOptions) {
    this.#options = options;
  }

  async addressesOf(hostname: string): Promise<readonly string[]> {
    if (isIP(hostname) !== 0) return [hostname];
    const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
    if (name === "localhost" || name.endsWith(".localhost")) return LOOPBACK;
    const known = this.#known.get(name);
    if (known !== undefined && known.until > this.#options.clock.now()) return known.addresses;
    const asked = this.#asked.get(name);
    if (asked !== undefined) return asked;
    const asking = this.#ask(name).finally(() => this.#asked.delete(name));
    this.#asked.set(name, asking);
    return asking;
  }

  async #ask(name: string): Promise<readonly string[]> {
    const { clock, resolve, hosts, timeoutMs, cacheMs } = this.#options;
    const local = await hosts.addressesOf(name);
    if (local.length > 0) return local;
    const addresses = await within(clock, timeoutMs, resolve(name));
    if (this.#known.size >= NAMES_MAX) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(name, { addresses, until: clock.now() + cacheMs });
    return addresses;
  }
}

function within<Value>(clock: Clock, limitMs: number, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limitMs, () => reject(new Error("the name lookup took too long")));
    work.then(resolve, reject).finally(cancel);
  });
}
