import { sql } from "kysely";
import type { CallCounts } from "../credentials/ports.ts";
import type { Clock } from "../terms/clock.ts";
import { answerInTime } from "./answer-in-time.ts";
import type { Engine } from "./engine.ts";

/** Billed calls of credentials by month, to which all replicas add. None of it counts as a change by an operator. */
export function createCallCounts(engine: Engine, clock: Clock): CallCounts {
  const add: CallCounts["addCalls"] = async (credentialId, monthFrom, calls) => {
    await engine.ready();
    const { calls: total } = await engine.noter
      .insertInto("credential_calls")
      .values({ id: `${credentialId}/${monthFrom}`, credential_id: credentialId, month_from: monthFrom, calls })
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet((row) => ({
          calls: sql`${row.ref("credential_calls.calls")} + ${row.ref("excluded.calls")}`,
        })),
      )
      .returning("calls")
      .executeTakeFirstOrThrow();
    return total;
  };
  return {
    addCalls: (credentialId, monthFrom, calls) =>
      // What may have been added must not be added again, so only a question is given up.
      calls === 0
        ? answerInTime(engine, clock, () => add(credentialId, monthFrom, 0))
        : add(credentialId, monthFrom, calls),
  };
}
