import { OperatorError } from "../../terms/operator-error.ts";

/** SQLite's error codes for a malformed page, and for a file that is not a database. */
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
/** SQLSTATEs of PostgreSQL for corrupt pages and indexes, and for bytes that are not valid text. */
const POSTGRES_DAMAGE = /^(?:XX|22021$)/;

/** Whether an error means unreadable data, rather than a missing or busy database or another version. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  // The number exceeds every value of our rows.
  if (code === "ERR_OUT_OF_RANGE") return true;
  if (code === "ERR_SQLITE_ERROR") {
    const kind = Number(errcode) & 0xff;
    return kind === CORRUPT || kind === NOT_A_DATABASE || error.message.startsWith("no such ");
  }
  return typeof code === "string" && POSTGRES_DAMAGE.test(code);
}

/** For queries that can be answered without the unreadable data. Throws every other error again. */
export function nullIfDamaged(error: unknown): null {
  if (isDamage(error)) return null;
  throw error;
}

/** Turns damage into an error with a message for the operator, and throws other errors as they are. */
export function throwDamaged(error: unknown): never {
  if (!isDamage(error)) throw error;
  const says = `The ledger is damaged: ${(error as Error).message}. "datarun ledger verify" says what is lost.`;
  throw new OperatorError("unavailable", says, { cause: error });
}
