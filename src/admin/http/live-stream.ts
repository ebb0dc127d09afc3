import type { ServerResponse } from "node:http";
import type { Clock } from "../../terms/time/clock.ts";
import { type EventStream, openEventStream } from "./event-stream.ts";
import { FairShare } from "../../terms/concurrency/fair-share.ts";
import { Refusal } from "./refusal.ts";
import { errorBody } from "./send-json.ts";

export const LIVE_PATH = "/api/live";

export interface LiveStreamParts {
  readonly clock: Clock;
  /** Makes the figures of the next event. Called once for all clients. */
  event(): Promise<object>;
  /** Called with the error if `event` rejects, which is a defect. */
  failed(error: unknown): void;
}

export interface LiveStream {
  /**
   * Sends the events to one more client of an operator, until the client disconnects or has no access any more.
   * @param hasAccess whether the client is still logged in; called before each event
   * @throws Refusal `unavailable` if there are already `LIVE_CLIENTS_MAX` clients
   */
  add(operatorId: string, response: ServerResponse, hasAccess: () => Promise<boolean>): void;
  clients(): number;
  /** Sends every client an error event and closes its connection. */
  close(): void;
}

/**
 * A client may hold one of the admin port's 128 connections for hours. Operators share the slots: one operator alone
 * gets half.
 */
export const LIVE_CLIENTS_MAX = 32;
const EVERY_MS = 1_000;
/** A client that misses more events in a row than this is cut off, since buffered events would be out of date. */
const MISSED_MAX = 5;

const ENDED = new Refusal("unauthenticated", "The login has ended. Log in again.");
const UNSURE = new Refusal("unavailable", "The store does not answer, so the login cannot be checked.");

interface Client {
  readonly stream: EventStream;
  readonly hasAccess: () => Promise<boolean>;
  /** Consecutive events not sent to the client, because it had not yet read the earlier ones. */
  missed: number;
}

/** Sends one event a second, the same to all clients. Events are made only while there is a client. */
export function createLiveStream({ clock, event, failed }: LiveStreamParts): LiveStream {
  const clients = new Set<Client>();
  const slots = new FairShare(LIVE_CLIENTS_MAX);
  let isSending = false;
  let isClosed = false;

  async function sendEverySecond(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (clients.size > 0) {
      const startedAt = clock.now();
      try {
        const json = JSON.stringify(await event());
        await Promise.all([...clients].map((client) => sendTo(client, json)));
      } catch (error) {
        failed(error);
        endAll(new Refusal("internal", "The figures cannot be computed. The service's log has the cause."));
      }
      const waitMs = Math.max(0, startedAt + EVERY_MS - clock.now());
      await new Promise<void>((resolve) => clock.after(waitMs, resolve, "loose"));
    }
    isSending = false;
  }

  async function sendTo(client: Client, json: string): Promise<void> {
    const refusal = await client.hasAccess().then(
      (holds) => (holds ? null : ENDED),
      () => UNSURE,
    );
    if (refusal !== null) return endOne(client, refusal);
    if (client.stream.unread() === 0) {
      client.missed = 0;
      return client.stream.sendText("live", json);
    }
    client.missed += 1;
    if (client.missed > MISSED_MAX) client.stream.cut();
  }

  function endOne(client: Client, refusal: Refusal): void {
    clients.delete(client);
    client.stream.send("error", errorBody(refusal));
    client.stream.end();
  }

  function endAll(refusal: Refusal): void {
    for (const client of clients) endOne(client, refusal);
  }

  return {
    add(operatorId, response, hasAccess) {
      if (isClosed) throw new Refusal("unavailable", "The service is shutting down.");
      // The client disconnected while it was authenticated.
      if (response.closed) return;
      if (!slots.take(operatorId))
        throw new Refusal(
          "unavailable",
          "Too many clients receive live events already. Close one of yours, or try again later.",
        );
      const client: Client = { stream: openEventStream(response), hasAccess, missed: 0 };
      clients.add(client);
      response.on("close", () => {
        clients.delete(client);
        slots.give(operatorId);
      });
      void sendEverySecond();
    },
    clients: () => clients.size,
    close() {
      isClosed = true;
      endAll(new Refusal("unavailable", "The service is shutting down."));
    },
  };
}
