import { whenIdle } from "./api/pending-requests.ts";

/** Scroll position, stored with the history entry, so that Back returns to it. */
interface ScrollPosition {
  readonly y: number;
}

/** The position is stored when the page has not scrolled for this time. */
const SETTLED_MS = 100;

let restoring: AbortController | undefined;

export function scrollPosition(y: number): ScrollPosition {
  return { y };
}

/** Stores the position before the page is left. */
export function saveScrollPosition(): void {
  restoring?.abort();
  window.history.replaceState(scrollPosition(window.scrollY), "");
}

export function restoreScrollPositions(): void {
  window.history.scrollRestoration = "manual";
  const save = (): void => {
    // While scrolling back, the position is not final.
    if (restoring === undefined || restoring.signal.aborted) saveScrollPosition();
  };
  // Content that changes above also scrolls the page, and not all browsers report the end of a scroll.
  let standing: number | undefined;
  window.addEventListener("scroll", () => {
    window.clearTimeout(standing);
    standing = window.setTimeout(save, SETTLED_MS);
  });
  // A reload may come before the timer.
  window.addEventListener("pagehide", save);
  window.addEventListener("popstate", ({ state }) => restore(state as ScrollPosition | null));
  restore(window.history.state as ScrollPosition | null);
}

/**
 * Scrolls to the stored position as soon as the page is long enough, and again when its size changes, until all requests
 * are answered: what is loaded above would move the position. Any input of the user cancels it.
 */
function restore(position: ScrollPosition | null): void {
  restoring?.abort();
  const { signal } = (restoring = new AbortController());
  const stop = restoring.abort.bind(restoring);
  const y = position?.y ?? 0;
  const resized = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight < y + window.innerHeight) return;
    window.scrollTo(0, y);
    // Nothing that comes later moves the top.
    if (y === 0) stop();
  });
  const arrive = () => {
    window.scrollTo(0, y);
    stop();
  };
  signal.addEventListener("abort", () => resized.disconnect());
  for (const done of ["wheel", "keydown", "pointerdown", "touchstart"])
    window.addEventListener(done, stop, { signal, passive: true });
  // The new page must be rendered first.
  requestAnimationFrame(() => {
    if (signal.aborted) return;
    resized.observe(document.body);
    whenIdle(signal, arrive);
  });
}
