import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { CallError } from "../api/send-request.ts";
import { Button } from "./button.tsx";
import { Failure } from "./failure.tsx";
import { Table, type Column } from "./table.tsx";
import "./list.css";

interface ListProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** `undefined` while loading. */
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  readonly error?: CallError | undefined;
  readonly isLoading: boolean;
  readonly reload?: () => void;
  /** Requests the next page. */
  readonly more?: (() => void) | null;
  /** Shown instead of the table if there are no rows: what the list contains, and how to create the first entry. */
  readonly empty: ComponentChildren;
  readonly current?: string | undefined;
  readonly layout?: string | undefined;
  /** The id in the address, if no row has it. */
  readonly missing?: string | undefined;
}

/** A list in any of its states: loading, failed, empty, or with rows and perhaps more to load. */
export function List<Row>({ rows, error, isLoading, reload, more, empty, missing, ...table }: ListProps<Row>) {
  const list = useRef<HTMLDivElement>(null);
  const focusNewRow = useFocusOfNewRow(list, rows?.length ?? 0, more ?? null);
  return (
    <div ref={list} class="list" aria-busy={isLoading}>
      {error && <Failure error={error} {...(reload && { retry: reload })} />}
      {missing !== undefined && (
        <p role="status">
          The address refers to <code class="id">{missing}</code>, which is not in this list.
        </p>
      )}
      {rows === undefined ? !error && <Loading /> : rows.length === 0 ? empty : <Table rows={rows} {...table} />}
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

/** Shown only if what is loaded takes longer than usual. */
export function Loading() {
  return <p class="list-waits dim">Loading…</p>;
}

/**
 * Moves the focus when the last page removes the button: to the first new row; without a new row to the last row;
 * without any row to the list.
 */
function useFocusOfNewRow(list: RefObject<HTMLElement | null>, count: number, more: (() => void) | null): () => void {
  const before = useRef<number>(undefined);
  const isEnd = more === null;
  // A layout effect, because a key pressed before the next frame would be lost.
  useLayoutEffect(() => {
    const at = before.current;
    if (at === undefined || (count <= at && !isEnd)) return;
    before.current = undefined;
    if (!isEnd || document.activeElement !== document.body) return;
    const rows = list.current?.querySelectorAll<HTMLElement>("tbody tr");
    const element = rows?.[Math.min(at, count - 1)] ?? list.current;
    if (element === null) return;
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
  }, [count, isEnd]);
  return () => void (before.current = count);
}
