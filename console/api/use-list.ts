import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { CallError } from "./ask.ts";
import { call } from "./call.ts";
import { toCallError, useAfterLogin } from "./use-verb.ts";
import type { InputOf, ListVerb, ResultOf, RowOf } from "./verb-types.ts";

export interface AskedList<Row> {
  /** All rows that have come so far; `undefined` before the first. */
  readonly rows: readonly Row[] | undefined;
  /** Whether these rows are of what is asked now, and not of what was asked before. */
  readonly isCurrent: boolean;
  readonly error: CallError | undefined;
  readonly isLoading: boolean;
  /** Asks for the rows after the last one; `null` if there are none. */
  readonly more: (() => void) | null;
  reload(): void;
}

/** What the verbs show unless told otherwise, and at most. */
const PAGE = 100;
const LIMIT_MAX = 1_000;

interface Pages<Row> {
  readonly key: string;
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

/** A list that comes page by page, by the key of its last row. `rows` names the list in the verb's result. */
export function useList<Name extends ListVerb, Rows extends keyof ResultOf<Name> & string>(
  name: Name,
  input: InputOf<Name>,
  rows: Rows,
): AskedList<RowOf<Name, Rows>> {
  type Row = RowOf<Name, Rows>;
  const key = `${name} ${JSON.stringify(input)}`;
  const [pages, setPages] = useState<Pages<Row>>();
  const [failed, setFailed] = useState<{ readonly key: string; readonly error: CallError }>();
  const [isLoading, setLoading] = useState(true);
  const gone = useRef<AbortController>(undefined);

  const load = useCallback(
    (after: Pages<Row> | undefined, limit?: number) => {
      gone.current?.abort();
      const { signal } = (gone.current = new AbortController());
      setLoading(true);
      setFailed(undefined);
      const asked = { ...input, ...(after && { after: after.next }), ...(limit !== undefined && { limit }) };
      call(name, asked as InputOf<Name>, { signal })
        .then((result) => {
          const { next, [rows]: come } = result as Record<string, unknown> & { readonly next?: string };
          setPages({ key, rows: [...(after?.rows ?? []), ...(come as Row[])], next });
        })
        .catch((thrown: unknown) => !signal.aborted && setFailed({ key, error: toCallError(thrown) }))
        .finally(() => !signal.aborted && setLoading(false));
    },
    // The key is the verb with its input.
    [key],
  );

  useEffect(() => {
    load(undefined);
    return () => gone.current?.abort();
  }, [load]);

  const error = failed?.key === key ? failed.error : undefined;
  useAfterLogin(error, () => load(pages?.key === key ? pages : undefined));

  const shown = pages?.key === key ? pages.rows.length : 0;
  return {
    // Under another filter, the rows of before stay until the new ones are there, or cannot be had.
    rows: pages?.key === key || error === undefined ? pages?.rows : undefined,
    isCurrent: pages?.key === key,
    error,
    isLoading,
    more: pages?.key === key && pages.next !== undefined && !isLoading ? () => load(pages) : null,
    // As much as is shown, so that what somebody has just changed far below stays where it is.
    reload: () => load(undefined, shown > PAGE ? Math.min(shown, LIMIT_MAX) : undefined),
  };
}
