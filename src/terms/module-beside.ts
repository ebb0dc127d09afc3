import { extname } from "node:path";

/** What the service's own modules end in: `.ts` in a checkout, `.js` in the package, where Node erases no types. */
export const MODULE_EXTENSION = extname(new URL(import.meta.url).pathname);

/**
 * The address of one of the service's own modules that is not imported but started, bundled or read. It is named as in
 * the checkout, relative to `from`, the `import.meta.url` of the caller: `moduleBeside("./drain-worker.ts", …)`.
 */
export function moduleBeside(name: `${string}.ts`, from: string): URL {
  return new URL(name.replace(/\.ts$/, MODULE_EXTENSION), from);
}
