/**
 * The class of an error of an engine or of the way to it: an SQLSTATE, an error code of the system, or the error's name.
 * Never its text, which may hold an address or a value.
 */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  // Several addresses of one name were tried; they mostly fail alike.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { code, errcode } = (first ?? error) as { readonly code?: unknown; readonly errcode?: unknown };
  if (typeof errcode === "number") return `SQLITE_${errcode}`;
  if (typeof code === "string" && /^[A-Z0-9_]+$/.test(code)) return code;
  return /timeout/i.test(error.message) ? "ETIMEDOUT" : error.name;
}
