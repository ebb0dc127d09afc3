import type { Clock } from "./clock.ts";

/**
 * Does work after `firstMs`, and again `everyMs` after its end, whether it failed or not. Work in progress is not
 * interrupted by the returned function, which stops the repetition, but can ask whether it was called.
 */
export function repeat(
  clock: Clock,
  { firstMs, everyMs }: { readonly firstMs: number; readonly everyMs: number },
  work: (isStopped: () => boolean) => Promise<unknown>,
): () => void {
  let stopped = false;
  let cancel = clock.after(firstMs, next, "loose");
  function next(): void {
    const later = (): void => {
      if (!stopped) cancel = clock.after(everyMs, next, "loose");
    };
    work(() => stopped).then(later, later);
  }
  return () => {
    stopped = true;
    cancel();
  };
}
