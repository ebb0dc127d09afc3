/**
 * The file in which they were written; the number of the last ask; a lease, which the lines after it name by its number; and
 * what it uses from now on, with the first and the last number of requests in a row that are over, and requests that are
 * under way: number, id and units of each. What follows from the request before it is left out: 0 is the next number, an id
 * without a transaction has the same one, and no units are as many.
 */
export type Line =
  | { readonly file: string }
  | { readonly turn: number }
  | { readonly lease: number; readonly budget: string; readonly from: number; readonly name: string }
  | readonly [lease: number, used: string, over: readonly number[], ...begun: (number | string)[]];

export function lineOf(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** Of the lines after it. To be raised whenever they change: those of another form are not read. */
const FORM = 2;

export function headOf(boot: string): string {
  return `boot ${boot}, notes of leases, form ${FORM}\n`;
}
