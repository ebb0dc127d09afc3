import { useLayoutEffect, useState } from "preact/hooks";

/**
 * What is in a form whose values come from the address: what the address says, until something is typed. When the
 * address changes, the form does too, and its fields stay the same ones, so that none loses the focus.
 */
export function useDraft<Values extends object>(
  given: Values,
): readonly [draft: Values, setDraft: (values: Values) => void] {
  const [draft, setDraft] = useState(given);
  // At once and not after the next frame: what was typed until then would be lost.
  useLayoutEffect(() => setDraft(given), [JSON.stringify(given)]);
  return [draft, setDraft];
}

/** For a button that goes away when it is pressed: the focus goes to the first field of its form. */
export function focusFirst({ currentTarget }: Event): void {
  (currentTarget as HTMLButtonElement).form?.querySelector<HTMLElement>("input, select")?.focus();
}
