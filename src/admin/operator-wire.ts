import { Type } from "../terms/schema/type.ts";
import type { Operator, OperatorAdmin } from "./ports.ts";
import { oneOf, orNull, text, time, toWireTime } from "./result-schemas.ts";
import { ROLES } from "./roles.ts";
import { hasOperatorTokenShape, tokenDigest } from "../access/access-token.ts";

/**
 * The form of a name in the audit trail. Names that look alike must be the same, so a name has no blanks and no
 * look-alike characters. It does not start like an id or a token.
 */
const NAME = "^(?!opr_|dop_)[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$";
const NAME_PATTERN = new RegExp(NAME);

export const operatorName = Type.String({
  pattern: NAME,
  description: "Name of the person or program, as the audit trail will show it",
  "x-says": "must be a name of at most 64 letters, digits and . _ @ + -",
});

export function isOperatorName(value: unknown): value is string {
  return typeof value === "string" && NAME_PATTERN.test(value);
}

const STATES = ["active", "revoked", "expired"] as const;
const LOGINS = ["token", "identity_provider"] as const satisfies readonly Operator["login"][];

export const wireOperator = Type.Object({
  operator_id: text,
  name: text,
  role: oneOf(...ROLES),
  login: {
    ...oneOf(...LOGINS),
    description: "How the operator authenticates: by a token of this service, or a login at the identity provider",
  },
  state: oneOf(...STATES),
  created_at: time,
  expires_at: orNull(time),
  revoked_at: orNull(time),
  last_used_at: orNull(time),
});

/** Whether a token, of an operator or of an organization, is active, expired or revoked at a time. */
export function tokenState(
  { revokedWallAt, expiresWallAt }: Pick<Operator, "revokedWallAt" | "expiresWallAt">,
  wallAt: number,
): (typeof STATES)[number] {
  if (revokedWallAt !== null) return "revoked";
  return expiresWallAt !== null && expiresWallAt <= wallAt ? "expired" : "active";
}

export function toWireOperator(operator: Operator, wallAt: number) {
  return {
    operator_id: operator.id,
    name: operator.name,
    role: operator.role,
    login: operator.login,
    state: tokenState(operator, wallAt),
    created_at: toWireTime(operator.createdWallAt),
    expires_at: toWireTime(operator.expiresWallAt),
    revoked_at: toWireTime(operator.revokedWallAt),
    last_used_at: toWireTime(operator.lastUsedWallAt),
  };
}

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
  return operator === null ? { operator, state: "unknown" } : { operator, state: tokenState(operator, wallAt) };
}
