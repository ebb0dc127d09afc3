import { signal } from "@preact/signals";
import { notePlace, placeAt } from "./place.ts";

/** Where the console is. Everything that a page shows follows from it, so an address can be given to somebody else. */
export interface Address {
  /** Without the console's own prefix: `/runs`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const BASE = "/console";

function read(): Address {
  const { pathname, search } = window.location;
  return { path: pathname.slice(BASE.length).replace(/\/$/, "") || "/", query: new URLSearchParams(search) };
}

const here = signal<Address>(read());
let isBack = false;
/** Puts this place into the history again, where Back or Forward has led away from it. */
let comeAgain: (() => void) | undefined;
window.addEventListener("popstate", (event) => {
  if (comeAgain !== undefined) {
    event.stopImmediatePropagation();
    return comeAgain();
  }
  isBack = true;
  here.value = read();
});

/** The address of now. A component that reads it is rendered again when it changes. */
export function address(): Address {
  return here.value;
}

/** Back and Forward lead nowhere until what is returned is called: for what is here and cannot be had again. */
export function stayHere(): () => void {
  const { href } = window.location;
  const { state } = window.history;
  comeAgain = () => window.history.pushState(state, "", href);
  return () => void (comeAgain = undefined);
}

/** Whether it was come to by Back or Forward: then it is as it was left. */
export function hasComeBack(): boolean {
  return isBack;
}

/** What a link to a place of the console has as its `href`. Parameters without a value are left out. */
export function hrefOf(path: string, query: Readonly<Record<string, string | null | undefined>> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1]);
  const search = new URLSearchParams(given).toString();
  return `${BASE}${path === "/" ? "/" : path}${search === "" ? "" : `?${search}`}`;
}

/** Goes to a place, as if its link had been clicked. */
export function goTo(href: string, { replace = false } = {}): void {
  change(href, !replace, 0);
  if (!replace) window.scrollTo(0, 0);
}

/** Changes parameters of the address; `null` takes one away. Going back undoes it only if `remember` is given. */
export function setQuery(changes: Readonly<Record<string, string | null>>, { remember = false } = {}): void {
  const { path, query } = here.peek();
  change(hrefOf(path, { ...Object.fromEntries(query), ...changes }), remember, window.scrollY);
}

function change(href: string, remember: boolean, y: number): void {
  if (remember) {
    notePlace();
    window.history.pushState(placeAt(y), "", href);
    isBack = false;
  } else window.history.replaceState(window.history.state, "", href);
  here.value = read();
}

/** Links within the console change the address without loading the page again. */
export function followLinks(): void {
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a");
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target !== "" || link.hasAttribute("download")) return;
    if (link.origin !== window.location.origin || !link.pathname.startsWith(`${BASE}/`)) return;
    if (link.hash !== "" && link.pathname === window.location.pathname) return;
    event.preventDefault();
    goTo(link.href);
  });
}
