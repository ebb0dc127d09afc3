import { caseMoment, type SourceCall } from "../../../sdk/source.ts";
import type { Clock } from "../../../terms/time/clock.ts";

/** The time of a request in the forms that vendors ask for. Each is computed when a template reads it. */
export class RequestClock {
  readonly #wallMs: number;

  constructor(wallMs: number) {
    this.#wallMs = wallMs;
  }

  get unix(): number {
    return Math.floor(this.#wallMs / 1000);
  }

  get unix_ms(): number {
    return Math.floor(this.#wallMs);
  }

  get iso(): string {
    return new Date(this.#wallMs).toISOString();
  }

  get iso_seconds(): string {
    return `${this.iso.slice(0, 19)}Z`;
  }

  get compact(): string {
    return this.iso_seconds.replaceAll(/[-:]/g, "");
  }

  get day(): string {
    return this.compact.slice(0, 8);
  }

  get http(): string {
    return new Date(this.#wallMs).toUTCString();
  }
}

export const CLOCK_NAMES = [
  "unix",
  "unix_ms",
  "iso",
  "iso_seconds",
  "compact",
  "day",
  "http",
] as const satisfies readonly (keyof RequestClock)[];

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
export function momentIn(values: object): RequestMoment {
  return values as RequestMoment;
}
