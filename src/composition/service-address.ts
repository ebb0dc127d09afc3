import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLocked } from "../ledger/journal/directory-lock.ts";

const FILE = "service.json";

/** Writes the address of the listening service, by which commands on this machine find it. */
export function recordAddress(dataDir: string, url: string): void {
  const file = join(dataDir, FILE);
  // The rename is atomic: readers find either no address or all of it.
  writeFileSync(`${file}.part`, JSON.stringify({ url }), { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

/** Removes the address before a service listens and when it ends. */
export function forgetAddress(dataDir: string): void {
  rmSync(join(dataDir, FILE), { force: true });
}

/**
 * The address of the service on a data directory; `null` if none runs there. A killed service may have left an address,
 * so the lock on its ledger decides whether it runs.
 */
export function findAddress(dataDir: string): string | null {
  const url = readAddress(join(dataDir, FILE));
  return url === null || !isLocked(join(dataDir, "ledger")) ? null : reachableAddress(url);
}

/** `null` also if the file lost its content in a power failure. */
function readAddress(file: string): string | null {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { url: string }).url;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** The address by which a service is reached from its own machine, even if it listens on every address. */
export function reachableAddress(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
