import { sizeOf } from "./size-of.ts";

/** The last results, so that a page that is come back to is there at once, as long as before. */
const kept = new Map<string, { readonly result: unknown; readonly size: number }>();
/** All of them together: some ten megabytes. A list of ten thousand runs takes half of it. */
const SIZE_MAX = 10_000_000;
let size = 0;

/** What was kept under a key. It is of the type that was kept, since a key begins with its verb. */
export function keptOf<Result>(key: string | null): Result | undefined {
  return key === null ? undefined : (kept.get(key)?.result as Result | undefined);
}

/** Those that were kept longest ago make room. A result that is larger than all may be is not kept. */
export function keep(key: string, result: unknown): void {
  forget(key);
  const own = key.length + sizeOf(result, SIZE_MAX);
  if (own > SIZE_MAX) return;
  kept.set(key, { result, size: own });
  size += own;
  for (const oldest of kept.keys()) {
    if (size <= SIZE_MAX) break;
    forget(oldest);
  }
}

function forget(key: string): void {
  size -= kept.get(key)?.size ?? 0;
  kept.delete(key);
}

/** What somebody else was shown is forgotten. */
export function forgetResults(): void {
  kept.clear();
  size = 0;
}
