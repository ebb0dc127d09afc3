import type { IncomingMessage, ServerResponse } from "node:http";
import { API_HEADERS } from "./api-headers.ts";

export const EVENT_STREAM = "text/event-stream";

/** Server-sent events, each with a name and one JSON object. */
export interface EventStream {
  /** Does nothing once the client has disconnected. */
  send(event: string, data: object): void;
  /** The same for a text that is JSON already, so that many streams can share it. */
  sendText(event: string, json: string): void;
  /** Sends a comment, so that proxies do not close an idle connection. */
  beat(): void;
  /** Bytes sent that the client has not read yet. */
  unread(): number;
  end(): void;
  /** Closes the connection at once and discards what the client has not read. */
  cut(): void;
}

/** Whether the request accepts server-sent events. */
export function wantsEvents({ headers: { accept = "" } }: IncomingMessage): boolean {
  return accept.split(",").some((type) => type.split(";")[0]!.trim().toLowerCase() === EVENT_STREAM);
}

export function openEventStream(response: ServerResponse): EventStream {
  // The last header turns off buffering in nginx.
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
