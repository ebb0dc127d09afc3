import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { TestContext } from "node:test";

interface Expected {
  readonly rows: number;
  readonly moments: readonly string[];
  readonly amounts: readonly string[];
}

/** Prints the number of rows, and the type of each column by its name. */
const READERS: Readonly<Record<string, readonly [program: string, code: string]>> = {
  DuckDB: [
    "import duckdb",
    `f = duckdb.from_parquet(sys.argv[1]); print(json.dumps([len(f.fetchall()), dict(zip(f.columns, map(str, f.types)))]))`,
  ],
  pyarrow: [
    "import pyarrow.parquet as pq",
    `f = pq.read_table(sys.argv[1]); print(json.dumps([f.num_rows, {c.name: str(c.type) for c in f.schema}]))`,
  ],
};

/** That each other reader of Parquet on this machine reads the file with the same types. */
export async function assertReadElsewhere(t: TestContext, path: string, expected: Expected): Promise<void> {
  for (const [name, [needs, code]] of Object.entries(READERS)) {
    await t.test(`read by ${name}`, (inner) => {
      if (spawnSync("python3", ["-c", needs]).status !== 0) return inner.skip(`this machine has no ${name} for Python`);
      const read = spawnSync("python3", ["-c", `import json, sys\n${needs}\n${code}`, path], { encoding: "utf8" });
      assert.equal(read.status, 0, read.stderr);
      const [rows, types] = JSON.parse(read.stdout) as [number, Readonly<Record<string, string>>];
      assert.equal(rows, expected.rows);
      for (const column of expected.moments) assert.match(types[column]!, /^timestamp/i, column);
      for (const column of expected.amounts) assert.match(types[column]!, /^decimal(128)?\(18, ?6\)$/i, column);
    });
  }
}
