import type { PlannedCall } from "./ports.ts";

/** From now on this call sends nothing more, and an adapter that listens to its signal hears of it. */
export function endCall(call: PlannedCall, reason?: unknown): void {
  call.ended = true;
  call.controller?.abort(reason);
}
