import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { CallError } from "../api/ask.ts";
import { Button } from "./button.tsx";
import { Failure } from "./failure.tsx";
import { Table, type Column } from "./table.tsx";
import "./list.css";

interface ListProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** `undefined` before they are there. */
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  readonly error?: CallError | undefined;
  readonly isLoading: boolean;
  readonly reload?: () => void;
  /** Asks for the rows after the last one. */
  readonly more?: (() => void) | null;
  /** In place of the table if there are no rows: what they would be, and how to get the first. */
  readonly empty: ComponentChildren;
  readonly current?: string | undefined;
  /** What the address names, if it is not among the rows. */
  readonly missing?: string | undefined;
}

/** A list with what can come of asking for it: it is under way, it failed, there is nothing, there is more. */
export function List<Row>({ rows, error, isLoading, reload, more, empty, missing, ...table }: ListProps<Row>) {
  const list = useRef<HTMLDivElement>(null);
  const focusNewRow = useFocusOfNewRow(list, rows?.length ?? 0, more ?? null);
  return (
    <div ref={list} class="list" aria-busy={isLoading}>
      {error && <Failure error={error} {...(reload && { retry: reload })} />}
      {missing !== undefined && (
        <p role="status">
          The address names <code class="id">{missing}</code>, which is not among these.
        </p>
      )}
      {rows === undefined ? (
        !error && <p class="list-waits dim">Loading…</p>
      ) : rows.length === 0 ? (
        empty
      ) : (
        <Table rows={rows} {...table} />
      )}
      {more && (
        <Button
          onClick={() => {
            focusNewRow();
            more();
          }}
          isBusy={isLoading}
        >
          Show more
        </Button>
      )}
    </div>
  );
}

/**
 * The button goes away with the last page: whoever pressed it goes on at the first row that came; if none did, at the
 * last; and if there is none at all, at the list.
 */
function useFocusOfNewRow(list: RefObject<HTMLElement | null>, count: number, more: (() => void) | null): () => void {
  const before = useRef<number>(undefined);
  const isEnd = more === null;
  // At once: a key that was pressed before the next frame would go nowhere.
  useLayoutEffect(() => {
    const at = before.current;
    if (at === undefined || (count <= at && !isEnd)) return;
    before.current = undefined;
    if (!isEnd || document.activeElement !== document.body) return;
    const rows = list.current?.querySelectorAll<HTMLElement>("tbody tr");
    const place = rows?.[Math.min(at, count - 1)] ?? list.current;
    if (place === null) return;
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
  }, [count, isEnd]);
  return () => void (before.current = count);
}
