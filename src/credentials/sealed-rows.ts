import { Fault } from "../terms/fault.ts";

const BATCH_SIZE = 100;

/** All rows of a table, in pages by id. Rows added before the current position are left to the next pass. */
export async function* eachRow<Row extends { readonly id: string }>(
  page: (after: string, limit: number) => Promise<readonly Row[]>,
  batchSize: number = BATCH_SIZE,
): AsyncGenerator<Row> {
  let rows = await page("", batchSize);
  while (rows.length > 0) {
    yield* rows;
    rows = await page(rows.at(-1)!.id, batchSize);
  }
}

/** A data key or a credential. */
export interface Unreadable {
  readonly id: string;
  readonly organizationId: string;
  readonly reason: string;
}

type Owned = Pick<Unreadable, "id" | "organizationId">;

/** Collects rows that cannot be opened. They are reported at the end and do not stop the work. */
export class UnreadableRows {
  readonly #rows = new Map<string, Unreadable>();

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  list(): readonly Unreadable[] {
    return [...this.#rows.values()];
  }

  /**
   * Runs `open` for a row. `null` if the row cannot be opened. Rejects if the store does not answer, because then the
   * row is not at fault.
   */
  async unless<Value>({ id, organizationId }: Owned, open: () => Promise<Value>): Promise<Value | null> {
    try {
      return await open();
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      const { reason } = thrown.detail;
      this.#rows.set(id, { id, organizationId, reason: typeof reason === "string" ? reason : thrown.code });
      return null;
    }
  }
}
