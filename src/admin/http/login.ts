import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { findOperator, type FoundOperator, tokenState } from "../operator-wire.ts";
import type { AuditTrail, LoginCodeStore, Operator, OperatorAdmin } from "../ports.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import type { Log } from "../../operate/log.ts";
import { createTally } from "../../operate/tally.ts";
import { CONSOLE_HEADER } from "./api-headers.ts";
import { Refusal } from "./refusal.ts";

export interface LoginParts {
  readonly store: Pick<OperatorAdmin, "operatorOf" | "noteOperatorUse"> & Pick<AuditTrail, "recordAct">;
  readonly sessions: Pick<LoginCodeStore, "useLoginCode">;
  readonly clock: Clock;
  readonly log: Log;
}

/** A failed login, as it is counted and recorded. */
export interface FailedLogin {
  /** How the person tried to log in. */
  readonly with: "token" | "code" | "identity_provider";
  /** A fixed set of short reasons. */
  readonly reason: string;
  /** The operator's name, if the token belongs to one. */
  readonly name?: string;
  readonly operatorId?: string;
}

export interface OperatorLogin {
  /** @throws Refusal `unauthenticated`, after a delay; OperatorError if the store does not answer */
  operatorOf(request: IncomingMessage): Promise<Operator>;
  /** The operator of a one-time code, which this uses up. @throws Refusal `unauthenticated`, after a delay */
  operatorOfCode(request: IncomingMessage, code: string): Promise<Operator>;
  /** Whether the token of the request is valid now. Counts neither as a use nor as a login. */
  hasAccess(request: IncomingMessage): Promise<boolean>;
  /** Counts and records a failed login, and delays the answer to slow down guessing. The caller then refuses. */
  fail(request: IncomingMessage, failure: FailedLogin): Promise<void>;
  /** Failed logins since the start. */
  failed(): number;
  /** Records the failures that are not recorded yet. */
  close(): void;
}

/** The delay of the answer to a failed login. */
export const FAILED_MS = 1_000;
/**
 * Delayed answers for each way of login. Further clients are disconnected at once, so that they do not use up the
 * port's connections.
 */
export const FAILED_WAITING_MAX = 16;
/** In the audit trail, the first failure of a kind is an entry of its own; further ones are one entry a minute. */
const RECORD_EVERY_MS = 60_000;
/** Kinds counted separately at a time: a provider may authenticate any number of people. */
const KINDS_MAX = 1_000;
/** The resolution of the time of last use: a page may send several requests a second. */
const USE_RECORDED_MS = 60_000;
const BEARER = /^bearer +(\S+) *$/i;

/** Whether the time of last use has to be written again. A failed write does not matter. */
export function isDue(recordedWallAt: number | null, clock: Clock): boolean {
  return recordedWallAt === null || recordedWallAt <= clock.wall() - USE_RECORDED_MS;
}

/** Authenticates an operator by the token in the `Authorization` header, or by a one-time code. */
export function createLogin({ store, sessions, clock, log }: LoginParts): OperatorLogin {
  let failed = 0;
  const waiting = new Map<FailedLogin["with"], number>();
  const failures = createTally<FailedKind>(
    (kind, count) => void record(failureOf(kind), count),
    clock,
    RECORD_EVERY_MS,
  );

  async function record({ with: way, reason, name, operatorId }: FailedLogin, count: number): Promise<void> {
    const why: JsonObject = { [way]: reason };
    log.warn({ event: "operator_login_failed", ...why, operator: name, count });
    const act = { who: name ?? "(unknown)", via: "api", what: "login failed", wallAt: clock.wall() } as const;
    const entry = { organizationId: null, subjectId: operatorId ?? "operators", detail: { ...why, count } };
    // The log has the failure in any case.
    await store.recordAct(act, entry).catch(() => {});
  }

  async function fail(request: IncomingMessage, failure: FailedLogin): Promise<void> {
    failed += 1;
    const kind = kindOf(failure);
    failures.note(failures.kinds() < KINDS_MAX || failures.isCounting(kind) ? kind : kindOfNobody(failure));
    // Each way is limited separately: a flood of one way neither hides nor cuts off failures of another.
    const others = waiting.get(failure.with) ?? 0;
    if (others >= FAILED_WAITING_MAX) return void request.destroy();
    waiting.set(failure.with, others + 1);
    await new Promise<void>((resolve) => clock.after(FAILED_MS, resolve));
    waiting.set(failure.with, waiting.get(failure.with)! - 1);
  }

  return {
    async operatorOf(request) {
      const token = tokenIn(request);
      if (token === undefined) throw new Refusal("unauthenticated", howToLogIn(request));
      const one = await findOperator(store, token, clock.wall());
      if (one.operator !== null && one.state === "active") {
        const { id, lastUsedWallAt } = one.operator;
        if (isDue(lastUsedWallAt, clock)) await store.noteOperatorUse(id, clock.wall()).catch(() => {});
        return one.operator;
      }
      await fail(request, toFailure(one));
      throw new Refusal("unauthenticated", "The token is not accepted: it is unknown, expired or revoked.");
    },
    async operatorOfCode(request, code) {
      const now = clock.wall();
      const operator = await sessions.useLoginCode(hash("sha256", code, "hex"), now);
      if (operator !== null && tokenState(operator, now) === "active") return operator;
      await fail(request, { with: "code", reason: "unknown" });
      throw new Refusal("unauthenticated", "The link is not accepted: it has been used, or is older than ten minutes.");
    },
    async hasAccess(request) {
      return (await findOperator(store, tokenIn(request) ?? "", clock.wall())).state === "active";
    },
    fail,
    failed: () => failed,
    close: () => failures.close(),
  };
}

/** Failures with the same way, reason and operator are counted together. */
type FailedKind = string;

function kindOf({ with: way, reason, name, operatorId }: FailedLogin): FailedKind {
  return JSON.stringify({ with: way, reason, name, operatorId });
}

function kindOfNobody({ with: way, reason }: FailedLogin): FailedKind {
  return kindOf({ with: way, reason });
}

function failureOf(kind: FailedKind): FailedLogin {
  return JSON.parse(kind) as FailedLogin;
}

function tokenIn({ headers: { authorization = "" } }: IncomingMessage): string | undefined {
  return BEARER.exec(authorization)?.[1];
}

/** Pages of the console show this text to a person; other clients are programs. */
function howToLogIn({ headers }: IncomingMessage): string {
  return headers[CONSOLE_HEADER] === "1"
    ? "You are not logged in, and nothing was done. Log in, and repeat it."
    : "Send an operator's token: Authorization: Bearer dop_…";
}

function toFailure({ operator, state }: FoundOperator): FailedLogin {
  if (operator === null) return { with: "token", reason: state };
  return { with: "token", reason: state, name: operator.name, operatorId: operator.id };
}
