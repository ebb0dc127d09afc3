import type { IncomingMessage, ServerResponse } from "node:http";
import { API_HEADERS } from "./api-headers.ts";

export const EVENT_STREAM = "text/event-stream";

/** Server-sent events, each with a name and one JSON object. */
export interface EventStream {
  /** Does nothing if nobody reads any more. */
  send(event: string, data: object): void;
  /** The same with what is JSON already, so that many streams can share it. */
  sendText(event: string, json: string): void;
  /** Keeps what is between the two from closing a connection on which nothing happens. */
  beat(): void;
  /** Bytes that its reader has not taken yet. */
  unread(): number;
  end(): void;
  /** Without what has not been read. */
  cut(): void;
}

/** Whether a client asks for events. */
export function wantsEvents({ headers: { accept = "" } }: IncomingMessage): boolean {
  return accept.split(",").some((type) => type.split(";")[0]!.trim().toLowerCase() === EVENT_STREAM);
}

export function openEventStream(response: ServerResponse): EventStream {
  // The last header tells nginx not to gather what should arrive at once.
  response.writeHead(200, {
    ...API_HEADERS,
    "Content-Type": `${EVENT_STREAM}; charset=utf-8`,
    "X-Accel-Buffering": "no",
  });
  response.flushHeaders();
  const write = (text: string): void => {
    if (!response.destroyed && !response.writableEnded) response.write(text);
  };
  const sendText: EventStream["sendText"] = (event, json) => write(`event: ${event}\ndata: ${json}\n\n`);
  return {
    send: (event, data) => sendText(event, JSON.stringify(data)),
    sendText,
    beat: () => write(":\n\n"),
    unread: () => response.writableLength,
    end: () => void response.end(),
    cut: () => void response.destroy(),
  };
}
