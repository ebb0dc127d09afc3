import { useEffect, useRef, useState } from "preact/hooks";

/** Longer than this nobody is kept waiting for the slowest. */
const WAITS_MS = 1_500;

/**
 * Whether to show what was asked for at once: when all of it has come or failed, so that what comes later moves nothing
 * that is there already, but not much later than the rest because one part is slow.
 */
export function useTogether(...parts: readonly unknown[]): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), WAITS_MS);
    return () => clearTimeout(timer);
  }, []);
  const isShown = useRef(false);
  // What is there once stays, also while a part that has failed is asked for again.
  isShown.current ||= isLate || parts.every((part) => part !== undefined);
  return isShown.current;
}
