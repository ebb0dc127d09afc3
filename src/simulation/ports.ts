import type { Door } from "../run/ports.ts";
import type { Reply } from "../sdk/http.ts";
import type { Clock } from "../terms/clock.ts";
import type { Fault } from "../terms/fault.ts";

/** How answers are read and judged by the real door, so that a simulated one is read and judged the same. */
export interface ReplyReading {
  readonly makeReply: (status: number, headers: Readonly<Record<string, string>>, bytes: Buffer) => Reply;
  /** The fault of a status that is neither 2xx nor one that the source reads itself. */
  readonly faultOfStatus: (status: number) => Fault;
}

/** What running cases needs of the service. */
export interface CaseParts {
  /** The real door. The runner only changes where its requests arrive. */
  readonly door: Door;
  readonly clock: Clock;
}
