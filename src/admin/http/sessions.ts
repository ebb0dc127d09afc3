import { hash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { tokenState } from "../operator-wire.ts";
import type { AuditTrail, Operator, Session, SessionStore } from "../ports.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import { HOUR_MS } from "../../terms/time/durations.ts";
import { CONSOLE_HEADER } from "./api-headers.ts";
import { cookieHeader, cookieIn } from "./cookies.ts";
import { isDue } from "./login.ts";
import { Refusal } from "./refusal.ts";

export interface SessionParts {
  readonly sessions: SessionStore;
  readonly store: Pick<AuditTrail, "recordAct">;
  readonly clock: Clock;
}

/** Browser sessions: a cookie stands for an operator's token. */
export interface Sessions {
  /** The operator of the session in the request's cookie; `null` without a cookie. @throws Refusal */
  operatorOf(request: IncomingMessage): Promise<Operator | null>;
  /**
   * Whether the session of the request is still valid. Does not prolong it, so an open page does not keep a session
   * alive.
   */
  hasAccess(request: IncomingMessage): Promise<boolean>;
  /** The same, and prolongs the session: for long answers that a person requested. */
  isInUse(request: IncomingMessage): Promise<boolean>;
  /** Starts a session and ends the browser's previous one. `cookie` is the value of `Set-Cookie`. */
  begin(request: IncomingMessage, operator: Operator, way: LoginWay): Promise<StartedSession>;
  /** Ends the session of a request. Returns the value of `Set-Cookie` that removes the cookie. @throws Refusal */
  end(request: IncomingMessage, operator: Operator): Promise<string>;
}

/** How the operator logged in. */
export type LoginWay = "token" | "code" | "identity_provider";

export interface StartedSession {
  readonly cookie: string;
  readonly endsWallAt: number;
}

export const IDLE_MS = HOUR_MS;
export const SESSION_MS = 12 * HOUR_MS;
const COOKIE = "datarun";
const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

export function createSessions({ sessions, store, clock }: SessionParts): Sessions {
  async function find(request: IncomingMessage): Promise<(Session & { readonly operator: Operator }) | null> {
    const digest = digestIn(request);
    return digest === null ? null : sessions.findSession(digest);
  }

  /** Returns the session of a request and prolongs it; `null` if it is over. */
  async function use(request: IncomingMessage): Promise<(Session & { readonly operator: Operator }) | null> {
    const session = await find(request);
    const now = clock.wall();
    if (session === null || isOver(session, now)) return null;
    if (isDue(session.seenWallAt, clock)) await sessions.noteSessionUse(session.digest, now).catch(() => {});
    return session;
  }

  const record = (operator: Operator, what: "session begin" | "session end", detail: JsonObject) =>
    store.recordAct(
      { who: operator.name, via: "api", what, wallAt: clock.wall() },
      { organizationId: null, subjectId: operator.id, detail },
    );

  return {
    async operatorOf(request) {
      if (digestIn(request) === null) return null;
      requireOwnPage(request);
      const session = await use(request);
      if (session === null)
        throw new Refusal(
          "unauthenticated",
          "The session has ended, and nothing was done. Log in again, and repeat it.",
        );
      return session.operator;
    },

    isInUse: async (request) => (await use(request)) !== null,

    async hasAccess(request) {
      const session = await find(request);
      return session !== null && !isOver(session, clock.wall());
    },

    async begin(request, operator, way) {
      const before = digestIn(request);
      // Prevents session fixation: the previous session of the browser ends, and the new one has a new secret.
      if (before !== null) await sessions.endSession(before);
      const secret = randomBytes(SECRET_BYTES).toString("base64url");
      const now = clock.wall();
      const endsWallAt = now + SESSION_MS;
      const session = { digest: digestOf(secret), operatorId: operator.id, createdWallAt: now, seenWallAt: now };
      await sessions.beginSession({ ...session, endsWallAt }, now - IDLE_MS);
      await record(operator, "session begin", { with: way });
      return { cookie: cookieHeader(request, COOKIE, secret, SESSION_MS / 1_000), endsWallAt };
    },

    async end(request, operator) {
      await sessions.endSession(digestIn(request)!);
      await record(operator, "session end", {});
      return cookieHeader(request, COOKIE, "", 0);
    },
  };
}

function isOver(session: Session & { readonly operator: Operator }, now: number): boolean {
  const { endsWallAt, seenWallAt, operator } = session;
  return endsWallAt <= now || seenWallAt <= now - IDLE_MS || tokenState(operator, now) !== "active";
}

/**
 * A browser adds a cookie by itself, and stores the cookie of a login that another site made it send. A request about a
 * session therefore has to prove that it comes from a page of the service.
 * @throws Refusal
 */
export function requireOwnPage({ headers, method }: IncomingMessage): void {
  // The origin of a request that has one has been checked already. A browser adds none to a GET of its own host.
  if ((headers.origin !== undefined || method === "GET") && headers[CONSOLE_HEADER] === "1") return;
  throw new Refusal("forbidden", "A session is for pages of the service itself: send Origin and Datarun-Console: 1.");
}

function digestIn(request: IncomingMessage): string | null {
  const secret = cookieIn(request, COOKIE) ?? "";
  return SECRET.test(secret) ? digestOf(secret) : null;
}

function digestOf(secret: string): string {
  return hash("sha256", secret, "hex");
}
