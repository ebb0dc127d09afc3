import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import "./table.css";

export interface Column<Row> {
  readonly title: string;
  readonly show: (row: Row) => ComponentChildren;
  /** Aligns numbers to the right. */
  readonly isNumber?: boolean;
  /** Keeps names from being wrapped. */
  readonly isName?: boolean;
  /** Shown in place of the title, such as a button that sorts. */
  readonly head?: ComponentChildren;
  readonly sorted?: "ascending" | "descending" | undefined;
}

interface TableProps<Row> {
  /** The title of the table, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The key of the row in the address. */
  readonly current?: string | undefined;
}

/** A table. On a narrow screen each row becomes a block in which each value has its title. */
export function Table<Row>({ caption, columns, rows, keyOf, current }: TableProps<Row>) {
  const named = useRef<HTMLTableRowElement>(null);
  const isThere = current !== undefined && rows.some((row) => keyOf(row) === current);
  useEffect(() => {
    if (isThere) named.current?.scrollIntoView({ block: "nearest" });
  }, [current, isThere]);
  return (
    <table class="table" role="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, isNumber, head = title, sorted }) => (
            <th key={title} scope="col" role="columnheader" class={isNumber ? "number" : undefined} aria-sort={sorted}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => {
          const key = keyOf(row);
          return (
            <tr
              key={key}
              {...(current === key && { ref: named })}
              role="row"
              aria-current={current === key ? "true" : undefined}
            >
              {columns.map(({ title, show, isNumber, isName }) => (
                <td
                  key={title}
                  role="cell"
                  data-title={title}
                  class={isNumber ? "number" : isName ? "name" : undefined}
                >
                  <div class="cell">{show(row)}</div>
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
