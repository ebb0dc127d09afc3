import { useEffect, useState } from "preact/hooks";

/** Longer than a usual request takes. */
const LATE_MS = 1_000;

/** Whether something has been loading for more than a second. */
export function useLate(isLoading: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!isLoading) return;
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, [isLoading]);
  return isLoading && isLate;
}
