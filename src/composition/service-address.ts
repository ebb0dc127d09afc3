import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockDirectory } from "../ledger/journal/directory-lock.ts";

const FILE = "service.json";

/** Lets commands on this machine find the service that runs on a data directory. Written once it listens. */
export function noteAddress(dataDir: string, url: string): void {
  writeFileSync(join(dataDir, FILE), JSON.stringify({ url }), { mode: 0o600 });
}

/** Before it listens, and when it ends: nothing is there to be found. */
export function forgetAddress(dataDir: string): void {
  rmSync(join(dataDir, FILE), { force: true });
}

/**
 * Where the service on a data directory listens; `null` when none runs there. What a service left behind that was killed
 * is not believed: whether one runs is asked of the lock that it holds on its ledger.
 */
export function findAddress(dataDir: string): string | null {
  const file = join(dataDir, FILE);
  // Asked only where something was left: a service that is just starting must not find its lock taken by a question.
  if (!existsSync(file) || isFree(join(dataDir, "ledger"))) return null;
  const { url } = JSON.parse(readFileSync(file, "utf8")) as { url: string };
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
