import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { operatorState } from "../operator-wire.ts";
import type { LoginCodeStore, Operator } from "../ports.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { OperatorLogin } from "./login.ts";
import { Refusal } from "./refusal.ts";

export interface LoginCodes {
  /** The operator of a code, which this uses up. @throws Refusal `unauthenticated`, after a delay */
  use(request: IncomingMessage, code: string): Promise<Operator>;
}

export function createLoginCodes(
  store: Pick<LoginCodeStore, "useLoginCode">,
  login: OperatorLogin,
  clock: Clock,
): LoginCodes {
  return {
    async use(request, code) {
      const now = clock.wall();
      const operator = await store.useLoginCode(hash("sha256", code, "hex"), now);
      if (operator !== null && operatorState(operator, now) === "active") return operator;
      await login.fail(request, { with: "code", reason: "unknown" });
      throw new Refusal("unauthenticated", "The link is not accepted: it has been used, or is older than ten minutes.");
    },
  };
}
