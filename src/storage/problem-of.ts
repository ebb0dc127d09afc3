/**
 * The class of an error from an engine or from connecting to it: an SQLSTATE, a system error code, or the error's name.
 * Never its text, which may contain an address or a value.
 */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  // All addresses of a name were tried; they usually fail for the same reason.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { code, errcode } = (first ?? error) as { readonly code?: unknown; readonly errcode?: unknown };
  if (typeof errcode === "number") return `SQLITE_${errcode}`;
  if (typeof code === "string" && /^[A-Z0-9_]+$/.test(code)) return code;
  return /timeout/i.test(error.message) ? "ETIMEDOUT" : error.name;
}
