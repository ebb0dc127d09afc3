import { registerHooks } from "node:module";
import { resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { MODULE_EXTENSION, moduleBeside } from "../terms/platform/module-beside.ts";

const SDK = moduleBeside("../sdk/index.ts", import.meta.url).href;
/** The format for Node, so that it does not look for a package.json. */
const SDK_FORMAT = MODULE_EXTENSION === ".ts" ? "module-typescript" : "module";

/**
 * Lets any project folder `import … from "datarun"` and get the running service's sdk. Loads its TypeScript as modules
 * even without a package.json that says so.
 */
export function resolveDatarunImports(folders: readonly string[]): void {
  const roots = folders.map((folder) => pathToFileURL(resolve(folder) + sep).href);
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier === "datarun") return { url: SDK, format: SDK_FORMAT, shortCircuit: true };
      const resolved = nextResolve(specifier, context);
      const ours = roots.some((root) => resolved.url.startsWith(root)) && !resolved.url.includes("/node_modules/");
      if (!ours) return resolved;
      const url = inVersionOf(context.parentURL, resolved.url);
      return { ...resolved, url, ...(/\.ts(\?|$)/.test(url) && { format: "module-typescript" }) };
    },
  });
}

/** Loads a file's imports within its project in the same version as the file itself (`importDefault`). */
function inVersionOf(parent: string | undefined, url: string): string {
  const version = parent === undefined ? null : new URL(parent).searchParams.get("version");
  if (version === null || url.includes("?")) return url;
  return `${url}?version=${encodeURIComponent(version)}`;
}
