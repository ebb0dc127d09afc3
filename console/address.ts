import { computed, signal } from "@preact/signals";
import { knownZone } from "./parts/time-zone.ts";
import { saveScrollPosition, scrollPosition } from "./scroll-position.ts";

/** The current location in the console. All that a page shows follows from it, so an address can be shared. */
interface Address {
  /** Path without the console's prefix, such as `/runs`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const BASE = "/console";

function read(): Address {
  const { pathname, search } = window.location;
  return { path: pathname.slice(BASE.length).replace(/\/$/, "") || "/", query: new URLSearchParams(search) };
}

const current = signal<Address>(read());
let isBack = false;
/** Pushes this address onto the history again after Back or Forward has left it. */
let pushAgain: (() => void) | undefined;
window.addEventListener("popstate", (event) => {
  if (pushAgain !== undefined) {
    event.stopImmediatePropagation();
    return pushAgain();
  }
  isBack = true;
  current.value = read();
});

/** The current address. A component that reads it renders again when it changes. */
export function address(): Address {
  return current.value;
}

const zoneInAddress = computed(() => current.value.query.get("zone"));
const zone = computed(() => knownZone(zoneInAddress.value));

/** The time zone of the page, or UTC. It is in the address, so that a shared address shows the same times. */
export function currentZone(): string {
  return zone.value;
}

/** Disables Back and Forward until the returned function is called. For content that cannot be shown again. */
export function blockHistory(): () => void {
  const { href } = window.location;
  const { state } = window.history;
  pushAgain = () => window.history.pushState(state, "", href);
  return () => void (pushAgain = undefined);
}

/** Whether Back or Forward led to this page. Its earlier state is then restored. */
export function isFromHistory(): boolean {
  return isBack;
}

/** The `href` of a link within the console, which keeps the time zone. Parameters without a value are left out. */
export function hrefOf(path: string, query: Readonly<Record<string, string | null | undefined>> = {}): string {
  const given = Object.entries("zone" in query ? query : { ...query, zone: zoneInAddress.value }).filter(
    (pair): pair is [string, string] => !!pair[1],
  );
  const search = new URLSearchParams(given).toString();
  return `${BASE}${path === "/" ? "/" : path}${search === "" ? "" : `?${search}`}`;
}

/** Navigates to an address as a click on its link does. */
export function navigate(href: string, { replace = false } = {}): void {
  change(href, !replace, 0);
  if (!replace) window.scrollTo(0, 0);
}

/** Changes parameters of the address; `null` removes one. Only with `remember` does Back undo the change. */
export function setQuery(changes: Readonly<Record<string, string | null>>, { remember = false } = {}): void {
  const { path, query } = current.peek();
  const changed: Record<string, string | null> = { ...Object.fromEntries(query), ...changes };
  change(hrefOf(path, { ...changed, zone: changed["zone"] ?? null }), remember, window.scrollY);
}

function change(href: string, remember: boolean, y: number): void {
  if (remember) {
    saveScrollPosition();
    window.history.pushState(scrollPosition(y), "", href);
    isBack = false;
  } else window.history.replaceState(window.history.state, "", href);
  current.value = read();
}

/** Handles clicks on links within the console without loading the page again. */
export function followLinks(): void {
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a");
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target !== "" || link.hasAttribute("download")) return;
    if (link.origin !== window.location.origin || !link.pathname.startsWith(`${BASE}/`)) return;
    if (link.hash !== "" && link.pathname === window.location.pathname) return;
    event.preventDefault();
    navigate(link.href);
  });
}
