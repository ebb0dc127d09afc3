import type { Clock } from "../terms/clock.ts";
import { Fault } from "../terms/fault.ts";
import type { Attempt, BeforeSend, PlannedCall } from "./ports.ts";

/**
 * What the door asks before each request. Once this returns, the intent to send has been handed to the operating system;
 * when it throws, nothing may be sent.
 */
export function createBeforeSend(clock: Clock): BeforeSend {
  return (call, origin, method, free) => {
    if (call.ended || !call.run.maySend) throw new Fault("source.stopped");
    const attempt: Attempt = {
      number: call.attempts.length + 1,
      origin,
      method,
      sentWallAt: clock.wall(),
      sentAt: clock.now(),
      free,
      status: null,
      isAnswer: false,
      hasEnded: false,
      said: null,
      tookMs: null,
    };
    recordIntent(call, attempt);
    call.attempts.push(attempt);
    return attempt;
  };
}

function recordIntent(call: PlannedCall, attempt: Attempt): void {
  try {
    call.run.record.intend({
      source: call.id,
      ordinal: call.ordinal,
      attempt: attempt.number,
      origin: attempt.origin,
      method: attempt.method,
      credentialId: call.credential?.credentialId ?? null,
      credentialRule: call.credential?.rule ?? "none",
      sentWallAt: attempt.sentWallAt,
      free: attempt.free,
    });
  } catch (cause) {
    throw new Fault("source.unrecorded", {}, { cause });
  }
}
