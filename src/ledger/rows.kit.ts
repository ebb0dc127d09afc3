import { listOf, type Columns } from "./column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RUN_COLUMNS, type AttemptRow, type CallRow, type RunRow } from "./columns.ts";

/*
 * Rows for tests that name what matters to them. Every other column is null, so that a new one costs nothing where
 * nothing depends on it.
 */

export const runRow = (named: Partial<RunRow>): RunRow => ({ ...blank(RUN_COLUMNS), ...named }) as RunRow;
export const callRow = (named: Partial<CallRow>): CallRow => ({ ...blank(CALL_COLUMNS), ...named }) as CallRow;
export const attemptRow = (named: Partial<AttemptRow>): AttemptRow =>
  ({ ...blank(ATTEMPT_COLUMNS), ...named }) as AttemptRow;

function blank(columns: Columns): Record<string, null> {
  return Object.fromEntries(listOf(columns).map(({ name }) => [name, null]));
}
