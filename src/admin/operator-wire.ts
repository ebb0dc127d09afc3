import { Type } from "../terms/schema/type.ts";
import type { Operator } from "./ports.ts";
import { oneOf, orNull, text, time } from "./result-schemas.ts";
import { ROLES } from "./roles.ts";
import { toWireTime } from "./wire-time.ts";

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

/** Whether the operator's token is active, expired or revoked at a time. */
export function operatorState(
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
    state: operatorState(operator, wallAt),
    created_at: toWireTime(operator.createdWallAt),
    expires_at: toWireTime(operator.expiresWallAt),
    revoked_at: toWireTime(operator.revokedWallAt),
    last_used_at: toWireTime(operator.lastUsedWallAt),
  };
}
