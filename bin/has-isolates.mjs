import { createRequire } from "node:module";
import { dirname } from "node:path";

/**
 * Whether functions can run on the Node that executes this: `isolated-vm` is native code, and its package has a binary for
 * some versions of Node only. What looks for the binary here is what loads it later, so that version, platform,
 * architecture, C library and a binary compiled on this machine are judged alike.
 *
 * @param from a file from which `isolated-vm` is resolved, as a path or URL
 */
export function hasIsolates(from) {
  try {
    const manifest = createRequire(from).resolve("isolated-vm/package.json");
    createRequire(manifest)("node-gyp-build").path(dirname(manifest));
    return true;
  } catch {
    return false;
  }
}
