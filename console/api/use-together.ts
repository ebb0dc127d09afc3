import { useEffect, useRef, useState } from "preact/hooks";

/** Longest wait for the slowest part, in milliseconds. */
const WAITS_MS = 1_500;

/**
 * Whether to show the parts of a page. True when all have arrived or failed, so that a late part does not shift the
 * others, or after `WAITS_MS`.
 */
export function useTogether(...parts: readonly unknown[]): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), WAITS_MS);
    return () => clearTimeout(timer);
  }, []);
  const isShown = useRef(false);
  // Shown parts stay visible while a failed part is requested again.
  isShown.current ||= isLate || parts.every((part) => part !== undefined);
  return isShown.current;
}
