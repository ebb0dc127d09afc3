import { fileURLToPath } from "node:url";
import { MODULE_EXTENSION } from "../terms/platform/module-beside.ts";

/** The folder of this package's code, with its catalog and its caches. */
export const PACKAGE_ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The folder with `package.json` and `bin`. In a package the compiled code is in a folder below it. */
export const INSTALLED_AT =
  MODULE_EXTENSION === ".ts" ? PACKAGE_ROOT : fileURLToPath(new URL("../../..", import.meta.url));
