import assert from "node:assert/strict";

/** Waits for what comes true soon, and fails when it does not. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 10_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    assert.ok(performance.now() < end, `it did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
