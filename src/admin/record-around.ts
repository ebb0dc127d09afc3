import type { JsonObject } from "../terms/json.ts";
import type { VerbCall } from "./needs.ts";

/**
 * Does what cannot be undone between two entries of the audit trail: one before anything is changed, so that nothing is
 * unrecorded however it ends, and one with the result. If the second cannot be stored, the first stands, and the
 * operator is told: what was done is done.
 */
export async function recordAround<Result extends JsonObject>(
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
      `It is done, but this could not be stored in the audit trail, which says only that "${act.what}" was about to begin.`,
    );
  });
  return result;
}
