/** Loads a data table on first use and keeps it. A failed load is forgotten, so that the next call tries again. */
export function loadOnce<Table>(load: () => Promise<Table>): () => Promise<Table> {
  let table: Promise<Table> | undefined;
  return () => {
    table ??= load().catch((thrown: unknown) => {
      table = undefined;
      throw thrown;
    });
    return table;
  };
}
