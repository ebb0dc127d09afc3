import { extname } from "node:path";

/**
 * The extension of the service's own modules: `.ts` in a checkout, `.js` in the package, where Node need not erase
 * types.
 */
export const MODULE_EXTENSION = extname(new URL(import.meta.url).pathname);

/**
 * The URL of one of the service's own modules that is not imported but started, bundled or read. The name is that of
 * the checkout, relative to `from`, the caller's `import.meta.url`: `moduleBeside("./drain-worker.ts", …)`.
 */
export function moduleBeside(name: `${string}.ts`, from: string): URL {
  return new URL(name.replace(/\.ts$/, MODULE_EXTENSION), from);
}
