import { signal } from "@preact/signals";
import { goTo } from "./address.ts";
import { ask, CallError } from "./api/ask.ts";
import type { VerbName } from "./api/verb-types.ts";
import { program } from "./program.ts";
import { CHANGES, ROLE_OF, ROLES, type Role } from "./api/verbs.ts";

/** Who is logged in. */
export interface Session {
  readonly name: string;
  readonly role: Role;
  /** The setting `console`: with `read_only` the service refuses whatever changes something. */
  readonly console: "on" | "read_only";
  /** How a command on this deployment starts on the service's machine. */
  readonly program: string;
}

/** How people can log in here. */
export interface LoginWays {
  /** The host of the identity provider, if there is one. */
  readonly identity_provider: string | null;
}

/** `undefined` until the service has said it, `null` if nobody is. */
export const session = signal<Session | null | undefined>(undefined);
/** The session has ended, and the page that it was used on still stands. */
export const hasEnded = signal(false);
/** How often somebody has logged in since the page was loaded: what failed meanwhile is asked for again. */
export const logins = signal(0);
/** Known before the login is shown, so that nothing on it moves. */
export const ways = signal<LoginWays>({ identity_provider: null });
/** Why the login that brought somebody here has failed. */
export const loginProblem = signal<CallError | undefined>(undefined);

/** What the provider is told to send browsers back to, below the console. */
const COME_BACK = "/console/login";
const PLACE = "datarun-place";

/** Finds out who is logged in; first of all by what the address brings from a link or the identity provider. */
export async function openSession(): Promise<void> {
  const { pathname, search, hash } = window.location;
  const code = /^#code=(.+)$/.exec(hash)?.[1];
  if (code !== undefined) {
    // Nobody finds it in the history, or passes it on with the address.
    goTo(pathname + search, { replace: true });
    if (await tryToLogIn(() => begin("session/code", { code: decodeURIComponent(code) }))) return;
  }
  if (pathname === COME_BACK) {
    goTo(placeOfBefore(), { replace: true });
    if (search !== "" && (await tryToLogIn(() => begin("session/provider/finish", { answer: search.slice(1) }))))
      return;
  }
  try {
    const shown = (await ask("session/show", {})) as Session;
    program.value = shown.program;
    session.value = shown;
  } catch (error) {
    if (!isEnded(error)) throw error;
    await loadWays();
    session.value = null;
  }
}

async function tryToLogIn(logIn: () => Promise<void>): Promise<boolean> {
  try {
    await logIn();
    return true;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    loginProblem.value = error;
    return false;
  }
}

/** Exchanges an operator's token for a session. @throws CallError if it is not accepted */
export function logIn(token: string): Promise<void> {
  return begin("session", {}, token);
}

async function begin(path: string, input: object, token?: string): Promise<void> {
  const begun = (await ask(path, input, token === undefined ? {} : { token })) as Session;
  const before = session.peek();
  loginProblem.value = undefined;
  // What stands on the page was for somebody else.
  if (before && (before.name !== begun.name || before.role !== begun.role)) window.location.reload();
  program.value = begun.program;
  session.value = begun;
  hasEnded.value = false;
  logins.value += 1;
}

/** Goes to the identity provider, and comes back to the same place. @throws CallError */
export async function goToProvider(): Promise<void> {
  const { location } = (await ask("session/provider/begin", {})) as { readonly location: string };
  const { pathname, search } = window.location;
  window.sessionStorage.setItem(PLACE, pathname + search);
  window.location.assign(location);
}

/** Only our own pages write there, and still it leads nowhere but to them. */
function placeOfBefore(): string {
  const place = window.sessionStorage.getItem(PLACE) ?? "";
  window.sessionStorage.removeItem(PLACE);
  return place.startsWith("/console/") && place !== COME_BACK ? place : "/console/";
}

/** @throws CallError if the service does not answer */
export async function logOut(): Promise<void> {
  await loadWays();
  await ask("session/end", {}).catch((error: unknown) => {
    if (!isEnded(error)) throw error;
  });
  hasEnded.value = false;
  session.value = null;
}

/** The service has said that the session is over. The page stays as it is, under a login. */
export async function noteEnd(): Promise<void> {
  if (!session.peek() || hasEnded.peek()) return;
  await loadWays();
  hasEnded.value = true;
}

async function loadWays(): Promise<void> {
  ways.value = (await ask("session/ways", {})) as LoginWays;
}

function isEnded(error: unknown): boolean {
  return error instanceof CallError && error.code === "unauthenticated";
}

/** Whether the service would let this session use a verb. The service decides; this is for what to offer. */
export function mayUse(name: VerbName): boolean {
  const now = session.value;
  if (!now || (now.console === "read_only" && CHANGES[name])) return false;
  return ROLES.indexOf(now.role) >= ROLES.indexOf(ROLE_OF[name]);
}
