import { useLayoutEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";

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

interface FilterButtonsProps {
  readonly isFiltered: boolean;
  readonly clears?: string;
  readonly onClear: () => void;
}

/** Applies or clears the filter. The second button disappears when pressed, so the first field gets the focus. */
export function FilterButtons({ isFiltered, clears = "Show all", onClear }: FilterButtonsProps) {
  return (
    <>
      <Button type="submit">Filter</Button>
      {isFiltered && (
        <Button
          kind="quiet"
          onClick={({ currentTarget }) => {
            (currentTarget as HTMLButtonElement).form?.querySelector<HTMLElement>("input, select")?.focus();
            onClear();
          }}
        >
          {clears}
        </Button>
      )}
    </>
  );
}
