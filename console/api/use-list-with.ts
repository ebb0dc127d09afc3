import { useEffect, useState } from "preact/hooks";
import { call } from "./call.ts";
import { type AskedList, useList } from "./use-list.ts";
import type { InputOf, ListVerb, ResultOf, RowOf } from "./verb-types.ts";

export interface NamedRow<Row> {
  /** Which field of a row is its id. */
  readonly key: keyof Row & string;
  /** The id that the address names; `null` or empty if it names none. */
  readonly id: string | null;
  readonly order?: "newest first" | "oldest first";
}

export interface ListWithRow<Row> extends AskedList<Row> {
  /** The id that the address names, if no row has it. */
  readonly missing: string | undefined;
}

/** A list whose rows come in the order of their ids, with the row that the address names: first, if it is far below. */
export function useListWith<Name extends ListVerb, Rows extends keyof ResultOf<Name> & string>(
  name: Name,
  input: InputOf<Name>,
  rows: Rows,
  { key, id: named, order = "newest first" }: NamedRow<RowOf<Name, Rows>>,
): ListWithRow<RowOf<Name, Rows>> {
  type Row = RowOf<Name, Rows>;
  const id = named || null;
  const list = useList(name, input, rows);
  const [found, setFound] = useState<{ readonly id: string; readonly row: Row | null }>();
  const isShown = (list.rows ?? []).some((row) => row[key] === id);
  const isWhole = list.isCurrent && !list.isLoading && list.error === undefined;
  const isBelow = id !== null && isWhole && !isShown && list.more !== null;

  useEffect(() => {
    if (!isBelow) return;
    const gone = new AbortController();
    const asked = { ...input, after: order === "newest first" ? `${id}0` : id.slice(0, -1), limit: 1 };
    call(name, asked as InputOf<Name>, { signal: gone.signal }).then(
      (result) => {
        const [row] = (result as unknown as Readonly<Record<string, readonly Row[]>>)[rows]!;
        setFound({ id, row: row?.[key] === id ? row! : null });
      },
      // Then neither the row is shown nor that there is none: the list is there, and asking it again asks this too.
      () => !gone.signal.aborted && setFound(undefined),
    );
    return () => gone.abort();
    // What was changed meanwhile comes with the list.
  }, [isBelow, id, list.rows]);

  // What the list itself shows may be deleted from it.
  useEffect(() => {
    if (isShown) setFound(undefined);
  }, [isShown]);

  const own = found?.id === id ? found : undefined;
  const row: Row | null = isShown || (isWhole && !isBelow) ? null : (own?.row ?? null);
  const isMissing = id !== null && isWhole && !isShown && (isBelow ? own?.row === null : true);
  return {
    ...list,
    rows: row === null ? list.rows : [row as RowOf<Name, Rows>, ...(list.rows ?? [])],
    missing: isMissing ? id : undefined,
  };
}
