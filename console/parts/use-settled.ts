import { useEffect, useState } from "preact/hooks";

/** Longer than the usual pause between two key presses. */
const PAUSE_MS = 120;

/** The text after it has not changed for `pauseMs`, and a function that returns it at once. */
export function useSettled(text: string, pauseMs = PAUSE_MS): readonly [settled: string, settle: () => void] {
  const [settled, settle] = useState(text);
  useEffect(() => {
    if (text === "") return settle("");
    const timer = setTimeout(() => settle(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return [settled, () => settle(text)];
}
