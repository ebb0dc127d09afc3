import { readFile } from "node:fs/promises";

import type { DataFile } from "datarun";

import { loadOnce } from "./load-once.ts";

interface Read<Table> {
  readonly table: Table;
  /** The day of the data, `YYYY-MM-DD`. */
  readonly date: string;
}

export interface TableOptions<Table> {
  /** What an operator's file is called. */
  readonly name: string;
  /** The file of the package, and the day of its data. */
  readonly packaged: () => URL;
  readonly packagedDate: string;
  /** Throws an error with a sentence for the operator if a file is not such a table. */
  readonly read: (bytes: Buffer) => Read<Table>;
}

export interface ReplaceableTable<Table> {
  /** The day of the data that is in use. */
  readonly date: string;
  readonly file: DataFile;
  load(): Promise<Table>;
}

/** The table of a package, read on first use, until a newer file of an operator replaces it. */
export function replaceableTable<Table>(options: TableOptions<Table>): ReplaceableTable<Table> {
  const { name, packaged, packagedDate, read } = options;
  let load = loadOnce(async () => read(await readFile(packaged())).table);
  let date = packagedDate;
  return {
    get date() {
      return date;
    },
    load: () => load(),
    file: {
      name,
      async replace(path) {
        const other = read(await readFile(path));
        const isNewer = other.date > date;
        if (isNewer) {
          date = other.date;
          load = () => Promise.resolve(other.table);
        }
        return { date: other.date, used: isNewer };
      },
    },
  };
}
