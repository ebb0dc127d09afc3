import type { IncomingMessage, ServerResponse } from "node:http";
import {
  observeDeployment,
  type ObservationNeeds,
  type DeploymentObservation,
} from "../attention/observe-deployment.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { type LiveNow, toLiveEvent } from "./live-event.ts";
import { createLiveStream, type LiveStream } from "./live-stream.ts";
import { Refusal } from "./refusal.ts";

export const LIVE_PATH = "/api/live";

export interface LiveParts {
  readonly clock: Clock;
  /** The figures of the running service. */
  now(): LiveNow;
  readonly observationNeeds: Omit<ObservationNeeds, "clock">;
  failed(error: unknown): void;
}

export interface LiveEndpoint extends Pick<LiveStream, "clients" | "close"> {
  /**
   * @param operatorId the operator of the client
   * @param hasAccess whether the client is still logged in; called before each event
   * @throws Refusal
   */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    operatorId: string,
    hasAccess: () => Promise<boolean>,
  ): void;
}

/** The figures of store and ledger change slowly, so they are cached between events. */
const OBSERVE_EVERY_MS = 5_000;
const ENDED = new Refusal("unauthenticated", "The login has ended. Log in again.");
const UNSURE = new Refusal("unavailable", "The store does not answer, so the login cannot be checked.");

export function createLiveEndpoint({ clock, now, observationNeeds: look, failed }: LiveParts): LiveEndpoint {
  let observation: DeploymentObservation | undefined;
  let observedAt = 0;

  async function event(): Promise<object> {
    if (observation === undefined || clock.now() - observedAt >= OBSERVE_EVERY_MS) {
      observedAt = clock.now();
      observation = await observeDeployment({ clock, ...look }, observation);
    }
    return toLiveEvent(now(), observation);
  }

  const stream = createLiveStream({ clock, event, failed });
  return {
    answer(request, response, operatorId, hasAccess) {
      if (request.method !== "GET")
        throw new Refusal("method_not_allowed", "Live events are requested with GET.", undefined, "GET");
      stream.add(operatorId, response, () =>
        hasAccess().then(
          (holds) => (holds ? null : ENDED),
          () => UNSURE,
        ),
      );
    },
    clients: stream.clients,
    close: stream.close,
  };
}
