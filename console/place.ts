/** How far down a page is stands with its place in the history, so that Back leads to where one was. */
interface Place {
  readonly y: number;
}

/** A page is not waited for longer than this. */
const WAITS_MS = 3_000;
/** Browsers bear only so many changes of the history. */
const NOTED_AFTER_MS = 200;

let timer: ReturnType<typeof setTimeout> | undefined;
let goBackTo: AbortController | undefined;

/** For before the page is left. */
export function notePlace(): void {
  clearTimeout(timer);
  goBackTo?.abort();
  window.history.replaceState({ y: window.scrollY } satisfies Place, "");
}

export function keepPlaces(): void {
  window.history.scrollRestoration = "manual";
  window.addEventListener("scroll", () => {
    clearTimeout(timer);
    // On the way back it is not yet where it was.
    if (goBackTo === undefined || goBackTo.signal.aborted) timer = setTimeout(notePlace, NOTED_AFTER_MS);
  });
  window.addEventListener("popstate", ({ state }) => goBack(state as Place | null));
  goBack(window.history.state as Place | null);
}

/** Scrolls there as soon as the page is long enough, unless its reader does something before. */
function goBack(place: Place | null): void {
  clearTimeout(timer);
  goBackTo?.abort();
  const { signal } = (goBackTo = new AbortController());
  const stop = goBackTo.abort.bind(goBackTo);
  const y = place?.y ?? 0;
  const grown = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight < y + window.innerHeight) return;
    window.scrollTo(0, y);
    stop();
  });
  signal.addEventListener("abort", () => grown.disconnect());
  for (const done of ["wheel", "keydown", "pointerdown", "touchstart"])
    window.addEventListener(done, stop, { signal, passive: true });
  setTimeout(stop, WAITS_MS);
  // Not before the page of now stands in the place of the one before.
  requestAnimationFrame(() => !signal.aborted && grown.observe(document.body));
}
