import { caseMoment, type SourceCall } from "../../../sdk/source.ts";
import type { Clock } from "../../../terms/time/clock.ts";
import { RequestClock } from "./request-clock.ts";
import type { TemplateValues } from "./template.ts";

/** The values of one request that are different for each request. */
export interface RequestMoment {
  readonly clock: RequestClock;
  readonly nonce: string;
}

/** Creates these values for the requests of a call. A case may fix them. */
export interface Moments {
  /** For each sending of a request. */
  moment(call: SourceCall): RequestMoment;
  /** For each request, even if it is sent again because its token was refused. */
  requestId(call: SourceCall): string;
}

export function createMoments(clock: Clock, random: () => string): Moments {
  return {
    moment(call) {
      const fixed = call[caseMoment];
      return { clock: new RequestClock(fixed?.wallMs ?? clock.wall()), nonce: fixed?.nonce ?? random() };
    },
    requestId: (call) => call[caseMoment]?.nonce ?? random(),
  };
}

/** The moment among the values of a request. */
export function momentIn(values: TemplateValues): RequestMoment {
  return values as unknown as RequestMoment;
}
