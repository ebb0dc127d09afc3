import type { Kysely } from "kysely";
import type { EngineName } from "../engine.ts";

export interface Migration {
  readonly name: string;
  readonly up: (db: Kysely<unknown>, engine: EngineName) => Promise<void>;
  /**
   * The oldest schema version whose code can work on a store with this step: that code finds everything that it reads,
   * and writes everything that the newer code needs. Absent if no older code can.
   */
  readonly readableFrom?: number;
}

/** The schema version of the first release. Earlier steps were in no release, and are merged into it. */
const BASELINE = 35;

/**
 * Every step from an empty database to the newest schema, in order; the first is version 1. Forward only: a released
 * step is never edited; a later step corrects it. The same steps serve both engines. A step that adds a column is a
 * line here; any other step is a file, which is loaded when a store lacks it.
 */
export const MIGRATIONS: readonly Migration[] = [
  ...Array.from({ length: BASELINE - 1 }, () => ({ name: "unreleased", up: async () => {} })),
  { name: "0035_baseline", up: from(() => import("./0035_baseline.ts")) },
  { name: "0036_versions", up: from(() => import("./0036_versions.ts")), readableFrom: 35 },
  { name: "0037_history", up: from(() => import("./0037_history.ts")), readableFrom: 35 },
  { name: "0038_names_and_budgets", up: from(() => import("./0038_names_and_budgets.ts")), readableFrom: 35 },
  { name: "0039_reply_shapes", up: from(() => import("./0039_reply_shapes.ts")), readableFrom: 35 },
  { name: "0040_state_keys", up: from(() => import("./0040_state_keys.ts")), readableFrom: 35 },
];

function from(load: () => Promise<Pick<Migration, "up">>): Migration["up"] {
  return async (db, engine) => (await load()).up(db, engine);
}
