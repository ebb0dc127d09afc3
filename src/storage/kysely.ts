import type * as library from "kysely";
import { fileURLToPath } from "node:url";
import { JoinedPackage, type JoinModules } from "./joined-package.ts";

const joined = new JoinedPackage(
  "kysely",
  fileURLToPath(import.meta.resolve("kysely")),
  fileURLToPath(new URL("../../.cache/packages", import.meta.url)),
);

/** What is used of Kysely, whose 255 modules would be a quarter of all that a start loads. Its types come from itself. */
export const { CompiledQuery, Kysely, PostgresDialect, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } =
  (await joined.load()) as typeof library;

export type CompiledQuery = library.CompiledQuery;
export type Kysely<Database> = library.Kysely<Database>;

/** Makes the next import of it faster. */
export function keepKysely(joinModules: JoinModules): Promise<void> {
  return joined.keep(joinModules);
}
