import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { hasComeBack } from "../address.ts";
import type { CallError } from "./ask.ts";
import { keep, keptOf } from "./kept.ts";
import { PAGE_MAX, readPages } from "./read-pages.ts";
import { toCallError, useAfterLogin } from "./use-verb.ts";
import type { InputOf, ListVerb, ResultOf, RowOf } from "./verb-types.ts";

export interface AskedList<Row, Result = unknown> {
  /** All rows that have come so far; `undefined` before the first. */
  readonly rows: readonly Row[] | undefined;
  /** What the pages had besides their rows, each its own, or the first what is true of all. */
  readonly results: readonly Result[];
  /** Whether these rows are of what is asked now, and not of what was asked before. */
  readonly isCurrent: boolean;
  readonly error: CallError | undefined;
  readonly isLoading: boolean;
  /** Asks for the rows after the last one; `null` if there are none. It stays while they are under way. */
  readonly more: (() => void) | null;
  reload(): void;
}

/** What the verbs show unless told otherwise. */
const PAGE = 100;

interface Pages<Row, Result> {
  readonly key: string;
  readonly rows: readonly Row[];
  readonly next: string | undefined;
  readonly results: readonly Result[];
}

interface Failed {
  readonly key: string;
  readonly error: CallError;
  readonly again: () => void;
}

/** A list that comes page by page, by the key of its last row. `rows` names the list in the verb's result. */
export function useList<Name extends ListVerb, Rows extends keyof ResultOf<Name> & string>(
  name: Name,
  input: InputOf<Name>,
  rows: Rows,
): AskedList<RowOf<Name, Rows>, ResultOf<Name>> {
  return usePages(name, input, rows, "by page");
}

/** All rows of a list, however many: to choose one of them, or to count them. With `null` as its input it is not asked. */
export function useWholeList<Name extends ListVerb, Rows extends keyof ResultOf<Name> & string>(
  name: Name,
  input: InputOf<Name> | null,
  rows: Rows,
): Omit<AskedList<RowOf<Name, Rows>, ResultOf<Name>>, "more"> {
  return usePages(name, input, rows, "whole");
}

function usePages<Name extends ListVerb, Rows extends keyof ResultOf<Name> & string>(
  name: Name,
  input: InputOf<Name> | null,
  rows: Rows,
  how: "by page" | "whole",
): AskedList<RowOf<Name, Rows>, ResultOf<Name>> {
  type Row = RowOf<Name, Rows>;
  type Own = Pages<Row, ResultOf<Name>>;
  const key = input === null ? null : `${name} ${JSON.stringify(input)}`;
  const [read, setPages] = useState<Own>();
  const [failed, setFailed] = useState<Failed>();
  const [isLoading, setLoading] = useState(key !== null);
  // Whoever comes back finds as many rows as there were, and so the place among them.
  const pages = read?.key !== key && hasComeBack() ? (keptOf<Own>(`${key} ${how}`) ?? read) : read;
  const gone = useRef<AbortController>(undefined);

  const load = useCallback(
    /** One page after those, or, if told how many rows there are to be, as many pages as they take. */
    (before: Own | undefined, count?: number) => {
      gone.current?.abort();
      if (key === null) return setLoading(false);
      const { signal } = (gone.current = new AbortController());
      setLoading(true);
      setFailed(undefined);
      const readAll = async (): Promise<void> => {
        let all = before;
        const asked = { ...input, ...limitOf(how, count) } as InputOf<Name>;
        for await (const page of readPages(name, asked, rows, { signal, after: before?.next })) {
          all = {
            key,
            rows: [...(all?.rows ?? []), ...page.rows],
            next: page.next,
            results: [...(all?.results ?? []), page.result],
          };
          if (how === "by page" && all.rows.length >= (count ?? 0)) break;
        }
        setPages(all);
        if (all) keep(`${key} ${how}`, all);
      };
      readAll()
        .catch(
          (thrown: unknown) =>
            // Whoever has to log in first gets what was asked for, and not what would come next.
            !signal.aborted && setFailed({ key, error: toCallError(thrown), again: () => load(before, count) }),
        )
        .finally(() => !signal.aborted && setLoading(false));
    },
    // The key is the verb with its input.
    [key],
  );

  const shown = pages?.key === key ? pages.rows.length : 0;
  // As much as is shown, so that what somebody has just changed far below stays where it is.
  const reload = () => load(undefined, shown > PAGE ? shown : undefined);

  useEffect(() => {
    reload();
    return () => gone.current?.abort();
  }, [load]);

  const error = failed?.key === key ? failed.error : undefined;
  useAfterLogin(error, () => failed?.again());

  return {
    // Under another filter, the rows of before stay until the new ones are there, or cannot be had.
    rows: pages?.key === key || error === undefined ? pages?.rows : undefined,
    results: pages?.key === key || error === undefined ? (pages?.results ?? []) : [],
    isCurrent: pages?.key === key,
    error,
    isLoading,
    more: pages?.key === key && pages.next !== undefined ? () => load(pages) : null,
    reload,
  };
}

/** Pages of one size that have so many rows together, or a few more. */
function limitOf(how: "by page" | "whole", count: number | undefined): { readonly limit?: number } {
  if (how === "whole") return { limit: PAGE_MAX };
  return count === undefined ? {} : { limit: Math.ceil(count / Math.ceil(count / PAGE_MAX)) };
}
