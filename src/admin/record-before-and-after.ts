import type { JsonObject } from "../terms/json/json.ts";
import type { VerbCall } from "./needs.ts";

/**
 * Does irreversible work between two entries of the audit trail. The first is written before the work, so that no work
 * is unrecorded. The second has the result. If it cannot be stored, the first entry stays and a remark tells the
 * operator, because the work is done.
 */
export async function recordBeforeAndAfter<Result extends JsonObject>(
  call: Pick<VerbCall<"store">, "act" | "clock" | "note" | "store">,
  about: { readonly subjects: readonly string[]; readonly detail: JsonObject },
  change: () => Promise<Result>,
): Promise<Result> {
  const { act, clock, note } = call;
  const store = await call.store();
  const record = async (wallAt: number, detail: JsonObject) => {
    for (const subjectId of about.subjects)
      await store.recordAct({ ...act, wallAt }, { organizationId: null, subjectId, detail });
  };
  await record(act.wallAt, { ...about.detail, state: "about to begin" });
  const result = await change();
  await record(clock.wall(), { ...about.detail, ...result, state: "done" }).catch(() => {
    note(
      `The command is done, but this could not be recorded in the audit trail, which has only that "${act.what}" was about to begin.`,
    );
  });
  return result;
}
