import { whenQuiet } from "./api/under-way.ts";

/** Scroll position, stored with the history entry, so that Back returns to it. */
interface Place {
  readonly y: number;
}

/** The position is stored when the page has not scrolled for this time. */
const STANDS_MS = 100;

let goBackTo: AbortController | undefined;

export function placeAt(y: number): Place {
  return { y };
}

/** Stores the position before the page is left. */
export function notePlace(): void {
  goBackTo?.abort();
  window.history.replaceState(placeAt(window.scrollY), "");
}

export function keepPlaces(): void {
  window.history.scrollRestoration = "manual";
  const note = (): void => {
    // While scrolling back, the position is not final.
    if (goBackTo === undefined || goBackTo.signal.aborted) notePlace();
  };
  // Content that changes above also scrolls the page, and not all browsers report the end of a scroll.
  let standing: number | undefined;
  window.addEventListener("scroll", () => {
    window.clearTimeout(standing);
    standing = window.setTimeout(note, STANDS_MS);
  });
  // A reload may come before the timer.
  window.addEventListener("pagehide", note);
  window.addEventListener("popstate", ({ state }) => goBack(state as Place | null));
  goBack(window.history.state as Place | null);
}

/**
 * Scrolls to the stored position when the page is long enough, or as far as possible when all requests are answered.
 * Any input of the user cancels it.
 */
function goBack(place: Place | null): void {
  goBackTo?.abort();
  const { signal } = (goBackTo = new AbortController());
  const stop = goBackTo.abort.bind(goBackTo);
  const y = place?.y ?? 0;
  const arrive = () => {
    window.scrollTo(0, y);
    stop();
  };
  const grown = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight >= y + window.innerHeight) arrive();
  });
  signal.addEventListener("abort", () => grown.disconnect());
  for (const done of ["wheel", "keydown", "pointerdown", "touchstart"])
    window.addEventListener(done, stop, { signal, passive: true });
  // The new page must be rendered first.
  requestAnimationFrame(() => {
    if (signal.aborted) return;
    grown.observe(document.body);
    whenQuiet(signal, arrive);
  });
}
