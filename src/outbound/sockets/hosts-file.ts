import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import type { Clock } from "../../terms/time/clock.ts";

const REREAD_MS = 5_000;

/**
 * The machine's hosts file, which the DNS resolver ignores. A lookup reads it again if the last reading is at least
 * five seconds old.
 */
export class HostsFile {
  readonly #path: string;
  readonly #clock: Clock;
  #readAt = -Infinity;
  #names: Promise<ReadonlyMap<string, readonly string[]>> = Promise.resolve(new Map());

  constructor(clock: Clock, path = "/etc/hosts") {
    this.#clock = clock;
    this.#path = path;
  }

  async addressesOf(name: string): Promise<readonly string[]> {
    if (this.#clock.now() - this.#readAt >= REREAD_MS) {
      this.#readAt = this.#clock.now();
      this.#names = readFile(this.#path, "utf8").then(readHosts, () => new Map());
    }
    return (await this.#names).get(name.toLowerCase()) ?? [];
  }
}

export function readHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address, ...hosts] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (address === undefined || isIP(address) === 0) continue;
    for (const host of hosts) {
      const known = names.get(host.toLowerCase());
      if (known === undefined) names.set(host.toLowerCase(), [address]);
      else if (!known.includes(address)) known.push(address);
    }
  }
  return names;
}
