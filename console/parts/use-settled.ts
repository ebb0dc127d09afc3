import { useEffect, useState } from "preact/hooks";

/** People type several letters in that time. */
const PAUSE_MS = 120;

/** A text once nobody has changed it for a moment, and a way to have it at once. */
export function useSettled(text: string): readonly [settled: string, settle: () => void] {
  const [settled, settle] = useState(text);
  useEffect(() => {
    if (text === "") return settle("");
    const timer = setTimeout(() => settle(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return [settled, () => settle(text)];
}
