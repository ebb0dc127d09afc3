import { durationMs, durationPattern } from "../terms/time/durations.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { Type } from "../terms/schema/type.ts";

const DAYS_MAX = 36_500;

export function expiryInput(description: string) {
  return Type.String({
    pattern: durationPattern("m", "h", "d", "w"),
    description: `${description}: a number and m, h, d or w, at most ${DAYS_MAX}d; by default until it is revoked`,
    "x-says": "must be a number and a unit, such as 90d, 12h, 30m or 8w",
  });
}

/**
 * The expiry of a token; `null` if it never expires. The upper bound keeps the time within what `Date` and ISO 8601 can
 * represent.
 * @throws OperatorError for a time beyond the bound
 */
export function expiryOf(expiresIn: string | undefined, wallAt: number): number | null {
  if (expiresIn === undefined) return null;
  const validMs = durationMs(expiresIn);
  if (validMs > durationMs(`${DAYS_MAX}d`))
    throw new OperatorError(
      "invalid",
      `--expires-in must be at most ${DAYS_MAX}d, a hundred years. Without it, the token is valid until it is revoked.`,
    );
  return wallAt + validMs;
}
