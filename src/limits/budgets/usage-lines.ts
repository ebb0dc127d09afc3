/**
 * One of these:
 * - the file in which the log was written;
 * - the number of the last ask;
 * - a lease, which the lines after it name by its number;
 * - what a lease uses from now on. `over`: requests that have ended, as the first and the last number of each unbroken
 *   series. `begun`: requests under way, as number, id and units of each. What is the same as in the request before it is
 *   left out: 0 stands for the next number, an id without a transaction for the same one, and no units for as many.
 */
export type Line =
  | { readonly file: string }
  | { readonly turn: number }
  | { readonly lease: number; readonly budget: string; readonly from: number; readonly name: string }
  | readonly [lease: number, used: string, over: readonly number[], ...begun: (number | string)[]];

export function lineOf(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** The form of all lines, to be raised whenever it changes: lines of another form are not read. */
const FORM = 2;

export function headOf(boot: string): string {
  return `boot ${boot}, notes of leases, form ${FORM}\n`;
}
