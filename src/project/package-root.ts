import { fileURLToPath } from "node:url";

/** Where this package lies: its catalog, its caches, and the commit it was taken from. */
export const PACKAGE_ROOT = fileURLToPath(new URL("../..", import.meta.url));
