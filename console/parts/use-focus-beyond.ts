import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** For a part that disappears when a button in it is pressed: moves the focus to the heading above. */
export function useFocusBeyond(part: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const own = part.current;
    return () => {
      if (!own?.contains(document.activeElement)) return;
      const heading = own.closest(".section, .page")?.querySelector<HTMLElement>("h1, h2");
      if (!heading) return;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    };
  }, []);
}
