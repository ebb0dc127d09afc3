import { Component, type ComponentChildren } from "preact";
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
  /** A class that gives its rows another layout. */
  readonly layout?: string | undefined;
}

/** A table. On a narrow screen each row becomes a block in which each value has its title. */
export function Table<Row>({ caption, columns, rows, keyOf, current, layout }: TableProps<Row>) {
  return (
    <table class={layout === undefined ? "table" : `table ${layout}`} role="table">
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
          return <TableRow key={key} row={row} columns={columns} isCurrent={current === key} />;
        })}
      </tbody>
    </table>
  );
}

interface TableRowProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly isCurrent: boolean;
}

/**
 * A row that is rendered again only if its properties change: a list may have thousands. Its cells are a component of
 * their own, so that they follow the signals that they read.
 */
class TableRow<Row> extends Component<TableRowProps<Row>> {
  override shouldComponentUpdate({ row, columns, isCurrent }: TableRowProps<Row>): boolean {
    return row !== this.props.row || columns !== this.props.columns || isCurrent !== this.props.isCurrent;
  }

  override render(props: TableRowProps<Row>) {
    return <Cells {...props} />;
  }
}

function Cells<Row>({ row, columns, isCurrent }: TableRowProps<Row>) {
  const element = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isCurrent) element.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  return (
    <tr ref={element} role="row" aria-current={isCurrent ? "true" : undefined}>
      {columns.map(({ title, show, isNumber, isName }) => (
        <td key={title} role="cell" data-title={title} class={isNumber ? "number" : isName ? "name" : undefined}>
          <div class="cell">{show(row)}</div>
        </td>
      ))}
    </tr>
  );
}
