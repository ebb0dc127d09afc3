import { callVerb } from "./call-verb.ts";
import type { InputOf, ListVerb, ResultOf, RowOf } from "./verb-types.ts";

/** The most rows that a verb returns at once. */
export const PAGE_MAX = 1_000;

interface PageOf<Row, Result> {
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
  let cursor = after;
  do {
    const pageInput = { ...input, ...(cursor !== undefined && { after: cursor }) };
    const result = await callVerb(name, pageInput as InputOf<Name>, { signal });
    cursor = (result as { readonly next?: string }).next;
    yield { rows: result[rows] as readonly RowOf<Name, Rows>[], next: cursor, result };
  } while (cursor !== undefined);
}
