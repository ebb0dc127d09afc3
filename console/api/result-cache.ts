/** Latest results by verb and input, so that a page that is visited again shows its content at once. */
const cache = new Map<string, { readonly result: unknown; readonly size: number }>();
/** Characters of all results together, about ten megabytes. A list of ten thousand runs takes half of it. */
const SIZE_MAX = 10_000_000;
let size = 0;

/** The stored result of a key. Its type is right because the key begins with the verb. */
export function cachedResult<Result>(key: string | null): Result | undefined {
  return key === null ? undefined : (cache.get(key)?.result as Result | undefined);
}

/** Stores a result and evicts the oldest. A result that is larger than the limit is not stored. */
export function cacheResult(key: string, result: unknown): void {
  forget(key);
  const own = key.length + sizeOf(result, SIZE_MAX);
  if (own > SIZE_MAX) return;
  cache.set(key, { result, size: own });
  size += own;
  for (const oldest of cache.keys()) {
    if (size <= SIZE_MAX) break;
    forget(oldest);
  }
}

function forget(key: string): void {
  size -= cache.get(key)?.size ?? 0;
  cache.delete(key);
}

/** Forgets all results, because the next user must not see them. */
export function forgetResults(): void {
  cache.clear();
  size = 0;
}

/** Characters counted for a number and for the punctuation of a container. */
const EACH = 8;

/** Approximate number of characters of a JSON value. Counting stops at `enough`. */
export function sizeOf(value: unknown, enough: number): number {
  let size = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && size <= enough) {
    const one = waiting.pop();
    size += EACH;
    if (typeof one === "string") size += one.length;
    else if (Array.isArray(one)) for (const entry of one) waiting.push(entry);
    else if (typeof one === "object" && one !== null)
      for (const [name, member] of Object.entries(one)) {
        size += name.length;
        waiting.push(member);
      }
  }
  return size;
}
