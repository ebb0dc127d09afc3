import type { ServerResponse } from "node:http";
import type { Clock } from "../../terms/time/clock.ts";

const CHECK_EVERY_MS = 1_000;

/**
 * Closes the connection of a long answer within a second after its client has lost access. While the store does not
 * answer, access cannot be checked and the answer continues.
 */
export function closeWithoutAccess(response: ServerResponse, hasAccess: () => Promise<boolean>, clock: Clock): void {
  let cancel = (): void => {};

  function scheduleCheck(): void {
    if (response.closed) return;
    cancel = clock.after(CHECK_EVERY_MS, () => void check(), "loose");
  }
  async function check(): Promise<void> {
    if (await hasAccess().catch(() => true)) scheduleCheck();
    else if (!response.closed) response.destroy();
  }
  response.once("close", () => cancel());
  scheduleCheck();
}
