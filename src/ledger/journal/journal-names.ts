import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Far more than there are of sources, organizations and the like; a bound for memory all the same. */
const KEPT_MAX = 20_000;

/**
 * The numbers under which texts stand in the journal, so that one that comes with every run takes a byte or two of it.
 * Used inside transactions by the one thread that writes; what a failed one has given is forgotten with that thread.
 */
export class JournalNames {
  readonly #find: StatementSync;
  readonly #add: StatementSync;
  readonly #numbers = new Map<string, number>();

  constructor(database: DatabaseSync) {
    this.#find = database.prepare("SELECT id FROM names WHERE name = ?");
    this.#add = database.prepare("INSERT INTO names (name) VALUES (?)");
  }

  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const found = this.#find.get(name) as { readonly id: number } | undefined;
    const number = found?.id ?? Number(this.#add.run(name).lastInsertRowid);
    if (this.#numbers.size >= KEPT_MAX) this.#numbers.clear();
    this.#numbers.set(name, number);
    return number;
  }
}
