import { hasOperatorTokenShape, tokenDigest } from "../access/access-token.ts";
import { operatorState } from "./operator-wire.ts";
import type { Operator, OperatorAdmin } from "./ports.ts";

/** Whom a token belongs to, and whether it is accepted. */
export interface FoundOperator {
  /** `null` if nobody was ever given this token. */
  readonly operator: Operator | null;
  readonly state: "active" | "revoked" | "expired" | "unknown";
}

/** Asks the store each time, so that a revocation counts from the next request on, on every machine. */
export async function findOperator(
  store: Pick<OperatorAdmin, "operatorOf">,
  token: string,
  wallAt: number,
): Promise<FoundOperator> {
  const operator = hasOperatorTokenShape(token) ? await store.operatorOf(tokenDigest(token)) : null;
  return operator === null ? { operator, state: "unknown" } : { operator, state: operatorState(operator, wallAt) };
}
