import type { Door } from "../run/ports.ts";
import type { Reply } from "../sdk/http.ts";
import type { Clock } from "../terms/clock.ts";
import type { Fault } from "../terms/fault.ts";

/** How the real outbound client reads and evaluates replies, so that simulated ones are treated the same. */
export interface ReplyReading {
  readonly makeReply: (status: number, headers: Readonly<Record<string, string>>, bytes: Buffer) => Reply;
  /** The fault of a status that is neither 2xx nor one that the source handles itself. */
  readonly faultOfStatus: (status: number) => Fault;
}

/** What running cases needs from the service. */
export interface CaseParts {
  /** The real outbound client. The runner only changes where its requests are sent. */
  readonly door: Door;
  readonly clock: Clock;
}
