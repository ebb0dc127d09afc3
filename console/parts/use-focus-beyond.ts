import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** For a part that goes away when a button in it is pressed: the focus goes to the heading above, not to nowhere. */
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
