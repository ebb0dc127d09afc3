import { sql } from "kysely";
import type { CallCounts } from "../credentials/ports.ts";
import type { Clock } from "../terms/time/clock.ts";
import { answerInTime } from "./answer-in-time.ts";
import type { Engine } from "./engine.ts";
import type { Tables } from "./tables.ts";

/** Billed calls of credentials by month, added up over all replicas. No addition counts as a change by an operator. */
export function createCallCounts(engine: Engine, clock: Clock): CallCounts {
  return {
    addCalls: (credentialId, monthFrom, calls) => {
      const id = `${credentialId}/${monthFrom}`;
      if (calls === 0) return answerInTime(engine, clock, () => countOf(engine, id));
      // Without a time limit, because a call that may have been added must not be added again.
      return add(engine, { id, credential_id: credentialId, month_from: monthFrom, calls });
    },
  };
}

async function countOf({ reader }: Engine, id: string): Promise<number> {
  const row = await reader.selectFrom("credential_calls").select("calls").where("id", "=", id).executeTakeFirst();
  return row?.calls ?? 0;
}

async function add(engine: Engine, row: Tables["credential_calls"]): Promise<number> {
  await engine.ready();
  const { calls } = await engine.unsyncedWriter
    .insertInto("credential_calls")
    .values(row)
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet((there) => ({
        calls: sql`${there.ref("credential_calls.calls")} + ${there.ref("excluded.calls")}`,
      })),
    )
    .returning("calls")
    .executeTakeFirstOrThrow();
  return calls;
}
