import type { IncomingMessage } from "node:http";
import { findOperator, type FoundOperator } from "../admin/find-operator.ts";
import type { AuditTrail, Operator, OperatorAdmin } from "../admin/ports.ts";
import type { Clock } from "../terms/clock.ts";
import type { Log } from "../operate/log.ts";
import { createTally } from "../operate/tally.ts";
import { Refusal } from "./refusal.ts";

export interface LoginParts {
  readonly store: Pick<OperatorAdmin, "operatorOf" | "noteOperatorUse"> & Pick<AuditTrail, "recordAct">;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Login {
  /** @throws Refusal `unauthenticated`, after a while; OperatorError if the store does not answer */
  operatorOf(request: IncomingMessage): Promise<Operator>;
  /** Since the start. */
  failed(): number;
  /** Records what has not been recorded yet. */
  close(): void;
}

/** How long a failed login waits for its answer. */
export const FAILED_MS = 1_000;
/** So many may wait. Further ones are cut off at once, so that they cannot use up the connections of everybody else. */
export const FAILED_WAITING_MAX = 16;
/** In the audit trail, the first failure of a kind has an entry of its own, and the further ones of each minute one. */
const RECORD_EVERY_MS = 60_000;
/** Times of use are kept to the minute: a page may ask several times a second. */
const USE_NOTED_MS = 60_000;
const BEARER = /^bearer +(\S+) *$/i;

/** Whether the time of a use has to be noted again. A note that fails is only a note. */
export function isDue(notedWallAt: number | null, clock: Clock): boolean {
  return notedWallAt === null || notedWallAt <= clock.wall() - USE_NOTED_MS;
}

/** Finds out which operator sends a request, by the token in its `Authorization`. */
export function createLogin({ store, clock, log }: LoginParts): Login {
  let failed = 0;
  let waiting = 0;
  const found = new Map<string, FoundOperator>();
  const failures = createTally<string>((key, count) => void record(found.get(key)!, count), clock, RECORD_EVERY_MS);

  async function record({ operator, state }: FoundOperator, count: number): Promise<void> {
    log.warn({ event: "operator_login_failed", token: state, operator: operator?.name, count });
    const act = { who: operator?.name ?? "(unknown)", via: "api", what: "login failed", wallAt: clock.wall() } as const;
    const entry = { organizationId: null, subjectId: operator?.id ?? "operators", detail: { token: state, count } };
    // The log has it in any case.
    await store.recordAct(act, entry).catch(() => {});
  }

  /** An operator who was found is one of few, and a token that nobody was given is always the same kind. */
  function noteFailure(one: FoundOperator): void {
    failed += 1;
    const key = one.operator?.id ?? "";
    found.set(key, one);
    failures.note(key);
  }

  return {
    async operatorOf(request) {
      const [, token] = BEARER.exec(request.headers.authorization ?? "") ?? [];
      if (token === undefined) throw new Refusal("unauthenticated", "Send an operator's token: Authorization: Bearer dop_…"); // prettier-ignore
      const one = await findOperator(store, token, clock.wall());
      if (one.operator !== null && one.state === "active") {
        const { id, lastUsedWallAt } = one.operator;
        if (isDue(lastUsedWallAt, clock)) await store.noteOperatorUse(id, clock.wall()).catch(() => {});
        return one.operator;
      }
      noteFailure(one);
      if (waiting >= FAILED_WAITING_MAX) request.destroy();
      else {
        waiting += 1;
        await new Promise<void>((resolve) => clock.after(FAILED_MS, resolve));
        waiting -= 1;
      }
      throw new Refusal("unauthenticated", "The token is not accepted: it is unknown, expired or revoked.");
    },
    failed: () => failed,
    close: () => failures.close(),
  };
}
