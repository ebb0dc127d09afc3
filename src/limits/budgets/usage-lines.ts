/**
 * One of these:
 * - the file in which the log was written;
 * - the number of the last ask;
 * - a lease, to which later lines refer by its number;
 * - the current use of a lease. `over`: ended requests, as the first and the last number of each unbroken series.
 *   `begun`: requests in progress, with number, id and units of each. Values are abbreviated relative to the previous
 *   request: 0 is the next number, an id without a transaction has the same one, and missing units are the same.
 */
export type Line =
  | { readonly file: string }
  | { readonly turn: number }
  | { readonly lease: number; readonly budget: string; readonly from: number; readonly name: string }
  | readonly [lease: number, used: string, over: readonly number[], ...begun: (number | string)[]];

export function lineOf(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** Version of the format. Increase it with every change: lines of another version are not read. */
const FORM = 2;

export function headOf(boot: string): string {
  return `boot ${boot}, notes of leases, form ${FORM}\n`;
}
