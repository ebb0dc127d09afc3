import { fileURLToPath } from "node:url";

/** The folder of this package, with its catalog and its caches. */
export const PACKAGE_ROOT = fileURLToPath(new URL("../..", import.meta.url));
