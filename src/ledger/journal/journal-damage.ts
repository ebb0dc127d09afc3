import { OperatorError } from "../../terms/operator-error.ts";

/** SQLite's error numbers: a malformed page, and a file that is not a database. */
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
/** PostgreSQL: corrupt pages and indexes, and bytes that are not valid text. */
const POSTGRES_DAMAGE = /^(?:XX|22021$)/;

/** Whether an error means unreadable data, and not that the database is missing, busy or of another version. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  // A number that none of our rows can hold.
  if (code === "ERR_OUT_OF_RANGE") return true;
  if (code === "ERR_SQLITE_ERROR") {
    const kind = Number(errcode) & 0xff;
    return kind === CORRUPT || kind === NOT_A_DATABASE || error.message.startsWith("no such ");
  }
  return typeof code === "string" && POSTGRES_DAMAGE.test(code);
}

/** For what can be answered without the unreadable: any other error is thrown again. */
export function nullIfDamaged(error: unknown): null {
  if (isDamage(error)) return null;
  throw error;
}

/** Throws an error for the operator if it is damage, instead of an unexpected one. */
export function throwDamaged(error: unknown): never {
  if (!isDamage(error)) throw error;
  const says = `The ledger is damaged: ${(error as Error).message}. "datarun ledger verify" says what is lost.`;
  throw new OperatorError("unavailable", says, { cause: error });
}
