import { call } from "./call.ts";
import type { InputOf, ListVerb, ResultOf, RowOf } from "./verb-types.ts";

/** The most rows that a verb returns at once. */
export const PAGE_MAX = 1_000;

export interface PageOf<Row, Result> {
  readonly rows: readonly Row[];
  /** The cursor after its last row; `undefined` at the end of the list. */
  readonly next: string | undefined;
  readonly result: Result;
}

/**
 * Reads a list page by page and requests the next page only when it is consumed. `rows` names the list in the verb's
 * result. @throws like `call`
 */
export async function* readPages<Name extends ListVerb, Rows extends keyof ResultOf<Name> & string>(
  name: Name,
  input: InputOf<Name>,
  rows: Rows,
  { signal, after }: { readonly signal: AbortSignal; readonly after?: string | undefined },
): AsyncGenerator<PageOf<RowOf<Name, Rows>, ResultOf<Name>>, void, void> {
  let place = after;
  do {
    const asked = { ...input, ...(place !== undefined && { after: place }) };
    const result = await call(name, asked as InputOf<Name>, { signal });
    place = (result as { readonly next?: string }).next;
    yield { rows: result[rows] as readonly RowOf<Name, Rows>[], next: place, result };
  } while (place !== undefined);
}
