import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isDamage } from "./journal-damage.ts";

/** Runs looked at in one step: a commit may have to wait for it, a few milliseconds. */
const AT_ONCE = 2_000;

/**
 * What rows take in the journal with their entries in indexes, apart from texts of any length (measured). A run with a
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
 * Adds up how many bytes of the journal belong to each organization. Every run is read, so this is done in steps, and
 * records are committed in between. What is written meanwhile is counted by the next one.
 */
export class JournalHolders {
  readonly #span: StatementSync;
  readonly #parts: readonly StatementSync[];
  readonly #name: StatementSync;
  readonly #bytes = new Map<number, number>();
  #from = 0;
  #to = 0;

  constructor(database: DatabaseSync) {
    this.#span = database.prepare(
      // Both in one query would read every run.
      `SELECT coalesce((SELECT min(id) FROM runs), 1) - 1 AS first, coalesce((SELECT max(id) FROM runs), 0) AS last`,
    );
    const textOf = (...columns: string[]): string =>
      columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
    this.#parts = [
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

  /** Does one step. False if nothing is left to do. */
  step(): boolean {
    if (this.#from >= this.#to) return false;
    const range = [this.#from, Math.min(this.#from + AT_ONCE, this.#to)];
    this.#from += AT_ONCE;
    for (const part of this.#parts) {
      for (const { organization, bytes } of this.#read(part, range))
        this.#bytes.set(organization, (this.#bytes.get(organization) ?? 0) + bytes);
    }
    return true;
  }

  /** Of damaged pages nobody knows whose they are. */
  #read(part: StatementSync, range: readonly number[]): readonly OrganizationBytes[] {
    try {
      return part.all(...range) as unknown as readonly OrganizationBytes[];
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
