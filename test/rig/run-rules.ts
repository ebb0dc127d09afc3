import assert from "node:assert/strict";
import type { Reply } from "./client.ts";

/** The source that is in every service and that nothing may hurt. */
export const HEALTHY = "ok__echo";

const STATUS_FIELDS = ["success", "message", "match", "response_time_ms"];
const FAILED = /^(Adapter not found for|Adapter error:|Unexpected error:) ./s;

/** What holds for every answered `POST /data`, whatever the sources did. */
export function assertDataRun(sources: Readonly<Record<string, unknown>>, reply: Reply): void {
  const body = reply.json() as {
    readonly config: { readonly sources: object };
    readonly outputs: Readonly<Record<string, unknown>>;
    readonly status: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly response_time_ms: number;
  };
  const asked = Object.keys(sources);
  assert.deepEqual(Object.keys(body.outputs), asked, "outputs has the keys that were asked for, in that order");
  assert.deepEqual(Object.keys(body.status), asked, "status has the keys that were asked for, in that order");
  assert.deepEqual(Object.keys(body.config.sources), asked);
  for (const id of asked) {
    const status = body.status[id]!;
    const { failure, ...rest } = status as { failure?: { order_id?: string; retryable: boolean } };
    assert.deepEqual(Object.keys(rest), STATUS_FIELDS);
    assert.ok(failure === undefined || status["success"] === false);
    assert.ok(failure?.order_id === undefined || !failure.retryable, "repeating this would order again");
    assert.ok((status["response_time_ms"] as number) <= body.response_time_ms + 1, "no source outlasts its run");
    if (status["success"] === true) continue;
    assert.equal(status["match"], false);
    assert.deepEqual(body.outputs[id], {});
    assert.match(status["message"] as string, FAILED);
  }
  if (!Object.hasOwn(sources, HEALTHY)) return;
  assert.equal(body.status[HEALTHY]!["success"], true, "a sibling was hurt");
  assert.deepEqual(body.outputs[HEALTHY], { ok: true }, "a sibling's answer was changed");
}
