import type { ServerResponse } from "node:http";
import type { Clock } from "../terms/clock.ts";
import { type EventStream, openEventStream } from "./event-stream.ts";
import { FairShare } from "../terms/fair-share.ts";
import { Refusal } from "./refusal.ts";
import { errorBody } from "./send-json.ts";

export interface LiveStreamParts {
  readonly clock: Clock;
  /** What is told, as it is now. Asked once for all clients. */
  event(): Promise<object>;
  /** If `event` fails, which it should not. */
  failed(error: unknown): void;
}

export interface LiveStream {
  /**
   * Tells one more client of an operator what happens, until it goes away or may not see it any more.
   * @param refusal asked before each event: why the client may not see it, or `null`
   * @throws Refusal `unavailable` if too many clients are told already
   */
  add(operatorId: string, response: ServerResponse, refusal: () => Promise<Refusal | null>): void;
  clients(): number;
  /** Tells every client that it ends, and ends. */
  close(): void;
}

/** Each may hold a connection for hours, of which the admin port has 128. Operators share them: one alone gets half. */
export const LIVE_CLIENTS_MAX = 32;
const EVERY_MS = 1_000;
/** A client that reads so slowly is cut off: what would be kept for it is old by then. */
const MISSED_MAX = 5;

interface Client {
  readonly stream: EventStream;
  readonly refusal: () => Promise<Refusal | null>;
  /** Events in a row that it did not get, because it had not read the ones before. */
  missed: number;
}

/** One event a second, the same for all clients. It is made only while there is a client. */
export function createLiveStream({ clock, event, failed }: LiveStreamParts): LiveStream {
  const clients = new Set<Client>();
  const slots = new FairShare(LIVE_CLIENTS_MAX);
  let isTelling = false;
  let isClosed = false;

  async function tellOnceASecond(): Promise<void> {
    if (isTelling) return;
    isTelling = true;
    while (clients.size > 0) {
      const startedAt = clock.now();
      try {
        const json = JSON.stringify(await event());
        await Promise.all([...clients].map((client) => tell(client, json)));
      } catch (error) {
        failed(error);
        endAll(new Refusal("internal", "The figures cannot be made. The service's log has the cause."));
      }
      const waitMs = Math.max(0, startedAt + EVERY_MS - clock.now());
      await new Promise<void>((resolve) => clock.after(waitMs, resolve, "loose"));
    }
    isTelling = false;
  }

  async function tell(client: Client, json: string): Promise<void> {
    const refusal = await client.refusal();
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
    add(operatorId, response, refusal) {
      if (isClosed) throw new Refusal("unavailable", "The service is shutting down.");
      // It has gone while it was looked up who it is.
      if (response.closed) return;
      if (!slots.take(operatorId))
        throw new Refusal("unavailable", "Too many clients are told already. Close one of yours, or try again later.");
      const client: Client = { stream: openEventStream(response), refusal, missed: 0 };
      clients.add(client);
      response.on("close", () => {
        clients.delete(client);
        slots.give(operatorId);
      });
      void tellOnceASecond();
    },
    clients: () => clients.size,
    close() {
      isClosed = true;
      endAll(new Refusal("unavailable", "The service is shutting down."));
    },
  };
}
