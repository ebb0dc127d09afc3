import { listOf, type Columns } from "./column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RUN_COLUMNS, type AttemptRow, type CallRow, type RunRow } from "./columns.ts";

/*
 * Rows for tests, which state only the columns that matter to them. The others are null, so that a new column changes
 * no test.
 */

export const runRow = (named: Partial<RunRow>): RunRow => ({ ...blank(RUN_COLUMNS), ...named }) as RunRow;
export const callRow = (named: Partial<CallRow>): CallRow => ({ ...blank(CALL_COLUMNS), ...named }) as CallRow;
export const attemptRow = (named: Partial<AttemptRow>): AttemptRow =>
  ({ ...blank(ATTEMPT_COLUMNS), ...named }) as AttemptRow;

function blank(columns: Columns): Record<string, null> {
  return Object.fromEntries(listOf(columns).map(({ name }) => [name, null]));
}
