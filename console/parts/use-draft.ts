import { useLayoutEffect, useState } from "preact/hooks";

/**
 * Values of a form that start from the address and change by typing. A new address resets them. The fields stay
 * mounted, so that none loses the focus.
 */
export function useDraft<Values extends object>(
  given: Values,
): readonly [draft: Values, setDraft: (values: Values) => void] {
  const [draft, setDraft] = useState(given);
  // A layout effect: an ordinary effect would run after the next frame and discard text typed before.
  useLayoutEffect(() => setDraft(given), [JSON.stringify(given)]);
  return [draft, setDraft];
}

/** For a button that disappears when pressed: moves the focus to the first field of its form. */
export function focusFirst({ currentTarget }: Event): void {
  (currentTarget as HTMLButtonElement).form?.querySelector<HTMLElement>("input, select")?.focus();
}
