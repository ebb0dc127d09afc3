import { whenQuiet } from "./api/under-way.ts";

/** How far down a page is stands with its place in the history, so that Back leads to where one was. */
interface Place {
  readonly y: number;
}

/** A page that has not moved for so long stands. */
const STANDS_MS = 100;

let goBackTo: AbortController | undefined;

export function placeAt(y: number): Place {
  return { y };
}

/** For before the page is left. */
export function notePlace(): void {
  goBackTo?.abort();
  window.history.replaceState(placeAt(window.scrollY), "");
}

export function keepPlaces(): void {
  window.history.scrollRestoration = "manual";
  const note = (): void => {
    // On the way back it is not yet where it was.
    if (goBackTo === undefined || goBackTo.signal.aborted) notePlace();
  };
  // What comes or goes above moves a page too, and of that browsers tell no end.
  let standing: number | undefined;
  window.addEventListener("scroll", () => {
    window.clearTimeout(standing);
    standing = window.setTimeout(note, STANDS_MS);
  });
  // A reload comes before that.
  window.addEventListener("pagehide", note);
  window.addEventListener("popstate", ({ state }) => goBack(state as Place | null));
  goBack(window.history.state as Place | null);
}

/**
 * Scrolls there as soon as the page is long enough or, if it stays shorter than it was, as far as it goes once it has
 * what it asks for: unless its reader does something before.
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
  // Not before the page of now stands in the place of the one before.
  requestAnimationFrame(() => {
    if (signal.aborted) return;
    grown.observe(document.body);
    whenQuiet(signal, arrive);
  });
}
