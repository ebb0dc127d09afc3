import { connect, type Socket } from "node:net";
import type { IncomingHttpHeaders } from "node:http";

/** One response cut out of the bytes that a connection brought. */
export interface RawReply {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

export interface Exchange {
  readonly bytes: Buffer;
  /** Final responses, in order; 1xx ones are left out. */
  readonly replies: readonly RawReply[];
  readonly interim: readonly number[];
  /** Whether the service closed the connection. */
  readonly closed: boolean;
}

/** Bytes to send, milliseconds to wait, or something to do with the socket. */
export type Step = string | Buffer | number | ((socket: Socket) => unknown);

export interface RawOptions {
  /** Ends the exchange once so many final responses have come; else it lasts until the service closes. */
  readonly replies?: number;
  /** The responses are to HEAD: they have a length and no body. */
  readonly headOnly?: boolean;
  /** Gives up after that long. */
  readonly withinMs?: number;
}

/** Speaks bytes to a service over a connection of its own. */
export function exchange(url: string, steps: readonly Step[], options: RawOptions = {}): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  const { withinMs = 10_000, headOnly = false } = options;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    let closed = false;
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...readResponses(Buffer.concat(chunks), headOnly), closed });
    };
    const timer = setTimeout(finish, withinMs);
    // The service may well reset a connection whose bytes it does not want.
    socket.on("error", () => {});
    socket.on("close", () => {
      closed = true;
      finish();
    });
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (
        options.replies !== undefined &&
        readResponses(Buffer.concat(chunks), headOnly).replies.length >= options.replies
      )
        finish();
    });
    void send(socket, steps);
  });
}

async function send(socket: Socket, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return;
    if (typeof step === "number") await new Promise((resolve) => setTimeout(resolve, step));
    else if (typeof step === "function") await step(socket);
    else socket.write(step);
  }
}

function readResponses(bytes: Buffer, headOnly: boolean): Omit<Exchange, "closed"> {
  const replies: RawReply[] = [];
  const interim: number[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end === -1) return { bytes, replies, interim };
    const [line = "", ...fields] = bytes.toString("latin1", at, end).split("\r\n");
    const statusCode = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1] ?? 0);
    const rawHeaders = fields.flatMap((field) => [
      field.slice(0, field.indexOf(":")),
      field.slice(field.indexOf(":") + 1).trim(),
    ]);
    const headers: IncomingHttpHeaders = {};
    for (let index = 0; index < rawHeaders.length; index += 2)
      headers[rawHeaders[index]!.toLowerCase()] = rawHeaders[index + 1]!;
    if (statusCode >= 100 && statusCode < 200) {
      interim.push(statusCode);
      at = end + 4;
      continue;
    }
    const length = headOnly ? 0 : Number(headers["content-length"] ?? 0);
    if (bytes.length < end + 4 + length) return { bytes, replies, interim };
    replies.push({ statusCode, headers, rawHeaders, text: bytes.toString("utf8", end + 4, end + 4 + length) });
    at = end + 4 + length;
  }
}
