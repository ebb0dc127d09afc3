import assert from "node:assert/strict";

/** Long enough for any machine: what has not come true by then never will. */
const WITHIN_MS = 60_000;

/** Waits for what comes true soon, and fails when it does not. Asks half of the time at most: some questions are expensive. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + WITHIN_MS;
  for (;;) {
    const askedAt = performance.now();
    if (await holds()) return;
    const now = performance.now();
    assert.ok(now < end, `it did not come true within ${WITHIN_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, Math.max(20, now - askedAt)));
  }
}
