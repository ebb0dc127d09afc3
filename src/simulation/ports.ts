import type { VendorClient } from "../run/ports.ts";
import type { Reply } from "../sdk/http.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { Fault } from "../terms/fault.ts";

/** The reply handling of the real outbound client, so that simulated replies are treated the same. */
export interface ReplyEvaluation {
  readonly makeReply: (status: number, headers: Readonly<Record<string, string>>, bytes: Buffer) => Reply;
  /** The fault for a status that is neither 2xx nor handled by the source. */
  readonly faultOfStatus: (status: number) => Fault;
}

/** The parts of the service that running cases needs. */
export interface CaseParts {
  /** The real outbound client. Only the destination of its requests is changed. */
  readonly door: VendorClient;
  readonly clock: Clock;
}
