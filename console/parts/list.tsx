import type { ComponentChildren } from "preact";
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
  return (
    <div class="list" aria-busy={isLoading}>
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
        <Button onClick={more} isBusy={isLoading}>
          Show more
        </Button>
      )}
    </div>
  );
}
