import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { isFromHistory } from "../address.ts";
import type { CallError } from "./send-request.ts";
import { cacheResult, cachedResult } from "./result-cache.ts";
import { PAGE_MAX, readPages } from "./read-pages.ts";
import { toCallError, useAfterLogin } from "./use-verb.ts";
import type { InputOf, ListVerb, ResultOf, RowOf } from "./verb-types.ts";

export interface ListState<Row, Result = unknown> {
  /** All rows received so far; `undefined` before the first page. */
  readonly rows: readonly Row[] | undefined;
  /** The result of each page, without its rows. */
  readonly results: readonly Result[];
  /** False while the rows still belong to the previous input. */
  readonly isCurrent: boolean;
  readonly error: CallError | undefined;
  readonly isLoading: boolean;
  /** Requests the next page; `null` at the end of the list. It stays set while a page is loading. */
  readonly more: (() => void) | null;
  reload(): void;
}

/** Page size, which is also the default of the verbs. */
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
  readonly retry: () => void;
}

/** A list that is read page by page. `rows` names the list in the verb's result. */
export function useList<Name extends ListVerb, Rows extends keyof ResultOf<Name> & string>(
  name: Name,
  input: InputOf<Name>,
  rows: Rows,
): ListState<RowOf<Name, Rows>, ResultOf<Name>> {
  return usePages(name, input, rows, "by page");
}

/** All rows of a list, to choose one of them or to count them. With `null` as input nothing is requested. */
export function useWholeList<Name extends ListVerb, Rows extends keyof ResultOf<Name> & string>(
  name: Name,
  input: InputOf<Name> | null,
  rows: Rows,
): Omit<ListState<RowOf<Name, Rows>, ResultOf<Name>>, "more"> {
  return usePages(name, input, rows, "whole");
}

function usePages<Name extends ListVerb, Rows extends keyof ResultOf<Name> & string>(
  name: Name,
  input: InputOf<Name> | null,
  rows: Rows,
  how: "by page" | "whole",
): ListState<RowOf<Name, Rows>, ResultOf<Name>> {
  type Row = RowOf<Name, Rows>;
  type OwnPages = Pages<Row, ResultOf<Name>>;
  const key = input === null ? null : `${name} ${JSON.stringify(input)}`;
  const [read, setPages] = useState<OwnPages>();
  const [failed, setFailed] = useState<Failed>();
  const [isLoading, setLoading] = useState(key !== null);
  // After Back or Forward the list has as many rows as before, so that the scroll position fits.
  const pages = read?.key !== key && isFromHistory() ? (cachedResult<OwnPages>(`${key} ${how}`) ?? read) : read;
  const controller = useRef<AbortController>(undefined);

  const load = useCallback(
    /** Loads one page after `before`. With `count`, loads as many pages as `count` rows take. */
    (before: OwnPages | undefined, count?: number) => {
      controller.current?.abort();
      if (key === null) return setLoading(false);
      const { signal } = (controller.current = new AbortController());
      setLoading(true);
      setFailed(undefined);
      const readAll = async (): Promise<void> => {
        let all = before;
        const pageInput = { ...input, ...limitOf(how, count) } as InputOf<Name>;
        for await (const page of readPages(name, pageInput, rows, { signal, after: before?.next })) {
          all = {
            key,
            rows: [...(all?.rows ?? []), ...page.rows],
            next: page.next,
            results: [...(all?.results ?? []), page.result],
          };
          if (how === "by page" && all.rows.length >= (count ?? 0)) break;
        }
        setPages(all);
        if (all) cacheResult(`${key} ${how}`, all);
      };
      readAll()
        .catch(
          (thrown: unknown) =>
            // After a login the request that failed is repeated, not a request for the next page.
            !signal.aborted && setFailed({ key, error: toCallError(thrown), retry: () => load(before, count) }),
        )
        .finally(() => !signal.aborted && setLoading(false));
    },
    // The key holds the verb and its input.
    [key],
  );

  const shown = pages?.key === key ? pages.rows.length : 0;
  // Reloads as many rows as are shown, so that a row that was just changed stays visible.
  const reload = () => load(undefined, shown > PAGE ? shown : undefined);

  useEffect(() => {
    reload();
    return () => controller.current?.abort();
  }, [load]);

  const error = failed?.key === key ? failed.error : undefined;
  useAfterLogin(error, () => failed?.retry());

  return {
    // After a change of the filter the old rows stay until the new rows arrive or the request fails.
    rows: pages?.key === key || error === undefined ? pages?.rows : undefined,
    results: pages?.key === key || error === undefined ? (pages?.results ?? []) : [],
    isCurrent: pages?.key === key,
    error,
    isLoading,
    more: pages?.key === key && pages.next !== undefined ? () => load(pages) : null,
    reload,
  };
}

/** The limit for pages of equal size that hold at least `count` rows together. */
function limitOf(how: "by page" | "whole", count: number | undefined): { readonly limit?: number } {
  if (how === "whole") return { limit: PAGE_MAX };
  return count === undefined ? {} : { limit: Math.ceil(count / Math.ceil(count / PAGE_MAX)) };
}
