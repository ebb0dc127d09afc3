import type { ServerResponse } from "node:http";
import type { Clock } from "../terms/clock.ts";

const LOOK_EVERY_MS = 1_000;

/**
 * Cuts an answer that takes long off, within a second after whoever gets it may not see it any more. While nobody can say,
 * because the store does not answer, it goes on.
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
