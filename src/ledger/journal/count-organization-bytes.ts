import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isDamage } from "./journal-damage.ts";

/** Runs per step. A commit may wait for a step, a few milliseconds. */
const AT_ONCE = 2_000;

/**
 * Measured size of rows in the journal, with their index entries and without texts of arbitrary length. A run with a
 * hundred calls takes sixty times as much as one without.
 */
const RUN_BYTES = 230;
const CALL_BYTES = 100;
const ATTEMPT_BYTES = 40;

interface OrganizationBytes {
  readonly organization: number;
  readonly bytes: number;
}

/**
 * Adds up the bytes of each organization in the journal. It reads every run, so it works in steps, and records are
 * committed in between. The next count includes runs that were written meanwhile.
 */
export class OrganizationByteCounter {
  readonly #span: StatementSync;
  readonly #statements: readonly StatementSync[];
  readonly #name: StatementSync;
  readonly #bytes = new Map<number, number>();
  #from = 0;
  #to = 0;

  constructor(database: DatabaseSync) {
    this.#span = database.prepare(
      // A single query for both would read every run.
      `SELECT coalesce((SELECT min(id) FROM runs), 1) - 1 AS first, coalesce((SELECT max(id) FROM runs), 0) AS last`,
    );
    const textOf = (...columns: string[]): string =>
      columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
    this.#statements = [
      `SELECT organization, sum(${RUN_BYTES} + ${textOf("function_id", "unknown_source_names")}) AS bytes
         FROM runs WHERE id > ? AND id <= ? GROUP BY organization`,
      `SELECT organization, sum(${CALL_BYTES} + ${textOf("order_id")}) AS bytes
         FROM calls WHERE run > ? AND run <= ? GROUP BY organization`,
      `SELECT organization, sum(${ATTEMPT_BYTES}) AS bytes
         FROM attempts JOIN runs ON runs.id = run WHERE run > ? AND run <= ? GROUP BY organization`,
    ].map((sql) => database.prepare(sql));
    this.#name = database.prepare("SELECT name FROM names WHERE id = ?");
  }

  begin(): void {
    const { first, last } = this.#span.get() as { readonly first: number; readonly last: number };
    this.#bytes.clear();
    this.#from = first;
    this.#to = last;
  }

  /** Does one step. False if there was nothing to do. */
  step(): boolean {
    if (this.#from >= this.#to) return false;
    const range = [this.#from, Math.min(this.#from + AT_ONCE, this.#to)];
    this.#from += AT_ONCE;
    for (const statement of this.#statements) {
      for (const { organization, bytes } of this.#read(statement, range))
        this.#bytes.set(organization, (this.#bytes.get(organization) ?? 0) + bytes);
    }
    return true;
  }

  /** Skips damaged pages, whose organization is unknown. */
  #read(statement: StatementSync, range: readonly number[]): readonly OrganizationBytes[] {
    try {
      return statement.all(...range) as unknown as readonly OrganizationBytes[];
    } catch (error) {
      if (!isDamage(error)) throw error;
      return [];
    }
  }

  get bytes(): readonly (readonly [organizationId: string, bytes: number])[] {
    return [...this.#bytes].flatMap(([organization, bytes]) => {
      const row = this.#name.get(organization) as { readonly name: string } | undefined;
      return row === undefined ? [] : [[row.name, bytes] as const];
    });
  }
}
