import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockDirectory } from "../ledger/journal/directory-lock.ts";

const FILE = "service.json";

/** Lets commands on this machine find the service that runs on a data directory. Written once it listens. */
export function noteAddress(dataDir: string, url: string): void {
  writeFileSync(join(dataDir, FILE), JSON.stringify({ url }), { mode: 0o600 });
}

/** Called before the service listens, and when it ends: then there is no service to be found. */
export function forgetAddress(dataDir: string): void {
  rmSync(join(dataDir, FILE), { force: true });
}

/**
 * The address of the service on a data directory; `null` if none runs there. A killed service may have left its address
 * behind, so the lock on its ledger decides whether it runs.
 */
export function findAddress(dataDir: string): string | null {
  const file = join(dataDir, FILE);
  // The lock is tested only if an address was left, because the test takes it for a moment, and a service that is just
  // starting must not find it taken.
  if (!existsSync(file) || isFree(join(dataDir, "ledger"))) return null;
  const { url } = JSON.parse(readFileSync(file, "utf8")) as { url: string };
  return reachableAddress(url);
}

/** Where a service is reached from its own machine, also if it listens on every address. */
export function reachableAddress(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

function isFree(ledger: string): boolean {
  try {
    lockDirectory(ledger)();
    return true;
  } catch {
    return false;
  }
}
