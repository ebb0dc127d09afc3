import { useEffect, useState } from "preact/hooks";
import { callVerb } from "./call-verb.ts";
import { type ListState, useList } from "./use-list.ts";
import type { InputOf, ListVerb, ResultOf, RowOf } from "./verb-types.ts";

interface NamedRow<Row> {
  /** The field of a row that is its id. */
  readonly key: keyof Row & string;
  /** The id in the address; `null` or empty if there is none. */
  readonly id: string | null;
  readonly order?: "newest first" | "oldest first";
}

export interface ListWithRow<Row> extends ListState<Row> {
  /** The id in the address, if no row has it. */
  readonly missing: string | undefined;
}

/** A list sorted by id that includes the row named in the address. A row that is further down is put first. */
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
    const controller = new AbortController();
    const rowInput = { ...input, after: order === "newest first" ? `${id}0` : id.slice(0, -1), limit: 1 };
    callVerb(name, rowInput as InputOf<Name>, { signal: controller.signal }).then(
      (result) => {
        const [row] = (result as unknown as Readonly<Record<string, readonly Row[]>>)[rows]!;
        setFound({ id, row: row?.[key] === id ? row! : null });
      },
      // Shows neither the row nor that it is missing. The list is still shown, and reloading it asks for this row
      // again.
      () => !controller.signal.aborted && setFound(undefined),
    );
    return () => controller.abort();
    // The list and the row are reloaded together.
  }, [isBelow, id, list.rows]);

  // The row is in the list now, so the extra copy is dropped: the list may lose the row later.
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
