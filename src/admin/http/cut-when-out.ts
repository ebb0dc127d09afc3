import type { ServerResponse } from "node:http";
import type { Clock } from "../../terms/time/clock.ts";

const LOOK_EVERY_MS = 1_000;

/**
 * Closes the connection of a long answer within a second after its client has lost access. While the store does not
 * answer, access cannot be checked and the answer continues.
 */
export function cutWhenOut(response: ServerResponse, isStillIn: () => Promise<boolean>, clock: Clock): void {
  let cancel = (): void => {};

  function lookLater(): void {
    if (response.closed) return;
    cancel = clock.after(LOOK_EVERY_MS, () => void look(), "loose");
  }
  async function look(): Promise<void> {
    if (await isStillIn().catch(() => true)) lookLater();
    else if (!response.closed) response.destroy();
  }
  response.once("close", () => cancel());
  lookLater();
}
