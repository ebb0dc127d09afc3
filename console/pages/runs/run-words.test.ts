import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutcomeKind } from "../../parts/outcome.tsx";
import { type Attempt, type Call, kindOfCall } from "./run-words.ts";

test("a failed call is crossed out only if a request was or may have been sent, as in the list of runs", () => {
  const kind = (call: object, attempts: readonly object[] = []): OutcomeKind =>
    kindOfCall({ ordinal: 1, ...call } as Call, attempts as readonly Attempt[]);
  assert.equal(kind({ success: 0, charged: "no" }), "off");
  assert.equal(kind({ success: 0, charged: "unknown" }), "failed");
  assert.equal(kind({ success: 0, charged: "no" }, [{ ordinal: 1 }]), "failed");
  assert.equal(kind({ success: 0, charged: "no" }, [{ ordinal: 2 }]), "off");
  assert.equal(kind({ success: null, charged: "unknown" }), "waiting");
  assert.equal(kind({ success: 1, match: 1, charged: "no" }), "found");
  assert.equal(kind({ success: 1, match: 0, charged: "no" }), "no_record");
});
