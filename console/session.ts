import { effect, signal } from "@preact/signals";
import { navigate } from "./address.ts";
import { sendRequest, CallError } from "./api/send-request.ts";
import type { VerbName } from "./api/verb-types.ts";
import { program } from "./program.ts";
import { CHANGES, ROLE_OF, ROLES, type Role } from "./api/verbs.ts";

/** The operator who is logged in. */
interface Session {
  readonly name: string;
  readonly role: Role;
  /** The setting `console`. With `read_only` the service refuses every change. */
  readonly console: "on" | "read_only";
  /** The command that starts `datarun` on the machine of the service. */
  readonly program: string;
}

/** The ways to log in. */
interface LoginWays {
  /** The host of the identity provider; `null` if none is configured. */
  readonly identity_provider: string | null;
}

/** `undefined` until the service has answered, `null` without a session. */
export const session = signal<Session | null | undefined>(undefined);
/** The session has ended, and its page is still shown. */
export const hasEnded = signal(false);
/** Number of logins since the page was loaded. Failed requests are repeated after each. */
export const logins = signal(0);
/** Loaded before the login form is shown, so that its layout does not jump. */
export const ways = signal<LoginWays>({ identity_provider: null });
/** Why a login by link or identity provider has failed. */
export const loginProblem = signal<CallError | undefined>(undefined);

/** The address to which the identity provider redirects. */
const CALLBACK_PATH = "/console/login";
const RETURN_PATH_KEY = "datarun-place";

/** Finds the current session. Credentials in the address, from a link or the identity provider, are tried first. */
export async function openSession(): Promise<void> {
  const { pathname, search, hash } = window.location;
  const code = /^#code=(.+)$/.exec(hash)?.[1];
  if (code !== undefined) {
    // Removes the code from the address, so that it is not kept in the history or shared.
    navigate(pathname + search, { replace: true });
    if (await tryToLogIn(() => begin("session/code", { code: decodeURIComponent(code) }))) return;
  }
  if (pathname === CALLBACK_PATH) {
    navigate(takeReturnPath(), { replace: true });
    if (search !== "" && (await tryToLogIn(() => begin("session/provider/finish", { answer: search.slice(1) }))))
      return;
  }
  try {
    const shown = (await sendRequest("session/show", {})) as Session;
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

/** Exchanges an operator's token for a session. @throws CallError if the token is not accepted */
export function logIn(token: string): Promise<void> {
  return begin("session", {}, token);
}

async function begin(path: string, input: object, token?: string): Promise<void> {
  const started = (await sendRequest(path, input, token === undefined ? {} : { token })) as Session;
  const before = session.peek();
  loginProblem.value = undefined;
  // The page shows data for another operator or role.
  if (before && (before.name !== started.name || before.role !== started.role)) window.location.reload();
  program.value = started.program;
  session.value = started;
  hasEnded.value = false;
  logins.value += 1;
}

/** Redirects to the identity provider, and returns to the same page afterwards. @throws CallError */
export async function goToProvider(): Promise<void> {
  const { location } = (await sendRequest("session/provider/begin", {})) as { readonly location: string };
  const { pathname, search } = window.location;
  window.sessionStorage.setItem(RETURN_PATH_KEY, pathname + search);
  window.location.assign(location);
}

/** Checks the stored path, although only the console writes it: it must lead into the console. */
function takeReturnPath(): string {
  const returnPath = window.sessionStorage.getItem(RETURN_PATH_KEY) ?? "";
  window.sessionStorage.removeItem(RETURN_PATH_KEY);
  return returnPath.startsWith("/console/") && returnPath !== CALLBACK_PATH ? returnPath : "/console/";
}

/** @throws CallError if the service does not answer */
export async function logOut(): Promise<void> {
  await loadWays();
  await sendRequest("session/end", {}).catch((error: unknown) => {
    if (!isEnded(error)) throw error;
  });
  hasEnded.value = false;
  session.value = null;
}

/** Handles the end of the session. The page stays as it is, below a login form. */
export async function onSessionEnded(): Promise<void> {
  if (!session.peek() || hasEnded.peek()) return;
  await loadWays();
  hasEnded.value = true;
}

async function loadWays(): Promise<void> {
  ways.value = (await sendRequest("session/ways", {})) as LoginWays;
}

function isEnded(error: unknown): boolean {
  return error instanceof CallError && error.code === "unauthenticated";
}

const LOGGED_IN_KEY = "datarun-logged-in";

/**
 * Whether somebody was logged in when a page of this browser was last open. The frame of the pages is then shown before
 * the service has answered. Browsers may refuse the storage.
 */
export const wasLoggedIn: boolean = stored(() => window.localStorage.getItem(LOGGED_IN_KEY) !== null) ?? false;

effect(() => {
  const now = session.value;
  if (now === undefined) return;
  stored(() =>
    now === null ? window.localStorage.removeItem(LOGGED_IN_KEY) : window.localStorage.setItem(LOGGED_IN_KEY, "yes"),
  );
});

function stored<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Whether the session's role allows a verb. Only for what the page offers; the service makes the decision. */
export function mayUse(name: VerbName): boolean {
  const now = session.value;
  if (!now || (now.console === "read_only" && CHANGES[name])) return false;
  return ROLES.indexOf(now.role) >= ROLES.indexOf(ROLE_OF[name]);
}

/** Calls `clear` after a login as another operator, who must not see the former one's inputs and answers. */
export function whenOtherUser(clear: () => void): void {
  let userName: string | undefined;
  effect(() => {
    const name = session.value?.name;
    if (name === undefined || name === userName) return;
    userName = name;
    clear();
  });
}
