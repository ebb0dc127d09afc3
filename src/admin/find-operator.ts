import { hasOperatorTokenShape, tokenDigest } from "../access/access-token.ts";
import { operatorState } from "./operator-wire.ts";
import type { Operator, OperatorAdmin } from "./ports.ts";

/** The operator of a token, and whether the token is accepted. */
export interface FoundOperator {
  /** `null` if no operator has this token. */
  readonly operator: Operator | null;
  readonly state: "active" | "revoked" | "expired" | "unknown";
}

/** Reads the store each time, so that a revocation applies from the next request on, on every machine. */
export async function findOperator(
  store: Pick<OperatorAdmin, "operatorOf">,
  token: string,
  wallAt: number,
): Promise<FoundOperator> {
  const operator = hasOperatorTokenShape(token) ? await store.operatorOf(tokenDigest(token)) : null;
  return operator === null ? { operator, state: "unknown" } : { operator, state: operatorState(operator, wallAt) };
}
