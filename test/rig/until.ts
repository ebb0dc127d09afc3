import assert from "node:assert/strict";

/** Long enough for any machine: what has not come true by then never will. */
const WITHIN_MS = 60_000;

/** Waits for what comes true soon, and fails when it does not. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + WITHIN_MS;
  while (!(await holds())) {
    assert.ok(performance.now() < end, `it did not come true within ${WITHIN_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
