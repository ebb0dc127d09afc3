import { signal } from "@preact/signals";
import { ask, CallError } from "./api/ask.ts";
import type { VerbName } from "./api/verb-types.ts";
import { ROLE_OF, ROLES, type Role } from "./api/verbs.ts";

/** Who is logged in. */
export interface Session {
  readonly name: string;
  readonly role: Role;
}

/** `undefined` until the service has said it, `null` if nobody is. */
export const session = signal<Session | null | undefined>(undefined);

/** Finds out who is logged in. */
export async function openSession(): Promise<void> {
  try {
    session.value = (await ask("session/show", {})) as Session;
  } catch (error) {
    if (!(error instanceof CallError) || error.code !== "unauthenticated") throw error;
    session.value = null;
  }
}

/** Exchanges an operator's token for a session. @throws CallError if it is not accepted */
export async function logIn(token: string): Promise<void> {
  session.value = (await ask("session", {}, { token })) as Session;
}

export async function logOut(): Promise<void> {
  await ask("session/end", {});
  session.value = null;
}

/** Whether the service would let this session use a verb. The service decides; this is for what to offer. */
export function mayUse(name: VerbName): boolean {
  const now = session.value;
  return !!now && ROLES.indexOf(now.role) >= ROLES.indexOf(ROLE_OF[name]);
}
