import { OperatorError } from "../../terms/operator-error.ts";

/** SQLite's own numbers: a page that cannot be one, and a file that is no database. */
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
/** PostgreSQL: pages and indexes that cannot be what they should, and bytes that are no text. */
const POSTGRES_DAMAGE = /^(?:XX|22021$)/;

/** Whether an error says that what is stored cannot be read; and not that it is away, busy, or another version's. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  // A number that no row of ours can hold.
  if (code === "ERR_OUT_OF_RANGE") return true;
  if (code === "ERR_SQLITE_ERROR") {
    const kind = Number(errcode) & 0xff;
    return kind === CORRUPT || kind === NOT_A_DATABASE || error.message.startsWith("no such ");
  }
  return typeof code === "string" && POSTGRES_DAMAGE.test(code);
}

/** For an operator, instead of an error that nobody foresaw. */
export function sayDamaged(error: unknown): never {
  if (!isDamage(error)) throw error;
  const says = `The ledger is damaged: ${(error as Error).message}. "datarun ledger verify" says what is lost.`;
  throw new OperatorError("unavailable", says, { cause: error });
}
