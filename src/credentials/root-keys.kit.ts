import { proveRootKeys } from "./prove-root-keys.ts";
import { readRootKeys, type RootKeyOptions, type RootKeyRing } from "./root-key-ring.ts";

/** Reads the root keys and verifies them against the store. @throws RootKeyError */
export async function openRootKeys(options: RootKeyOptions): Promise<RootKeyRing> {
  const ring = await readRootKeys(options);
  await proveRootKeys(ring, options.store);
  return ring;
}
