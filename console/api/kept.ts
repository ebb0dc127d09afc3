/** The last results, so that a page that is come back to is there at once, as long as before. */
const KEPT_MAX = 60;
const kept = new Map<string, unknown>();

/** What was kept under a key. It is of the type that was kept, since a key begins with its verb. */
export function keptOf<Result>(key: string | null): Result | undefined {
  return key === null ? undefined : (kept.get(key) as Result | undefined);
}

export function keep(key: string, result: unknown): void {
  kept.delete(key);
  kept.set(key, result);
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
}

/** What somebody else was shown is forgotten. */
export function forgetResults(): void {
  kept.clear();
}
