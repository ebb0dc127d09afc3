import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ScriptedReply } from "../sdk/source.ts";
import type { Clock } from "../terms/time/clock.ts";
import { createServer } from "../terms/http/node-http.ts";
import { readRequest, type ReceivedRequest } from "./received-request.ts";
import { scriptedBytes } from "./scripted-bytes.ts";

export interface ScriptedServer {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  close(): Promise<void>;
}

export type Answering = (request: ReceivedRequest) => ScriptedReply;

/** Starts a vendor on loopback that follows a script, including misbehaviour. */
export async function startScriptedServer(
  answer: Answering,
  clock: Clock,
  { host = "127.0.0.1", port = 0 }: { host?: string; port?: number } = {},
): Promise<ScriptedServer> {
  const server = createServer((message, response) => {
    void reply(message, response).catch(() => message.destroy());
  });

  async function reply(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const scripted = answer(await readRequest(message));
    if (scripted.delay_ms === undefined) return send(scripted, message, response);
    const cancel = clock.after(scripted.delay_ms, () => send(scripted, message, response));
    message.socket.once("close", cancel);
  }

  await listen(server, host, port);
  const { port: taken } = server.address() as AddressInfo;
  return {
    origin: `http://${host.includes(":") ? `[${host}]` : host}:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(scripted: ScriptedReply, message: IncomingMessage, response: ServerResponse): void {
  if (scripted.fault === "hang") return;
  if (scripted.fault === "reset") {
    message.socket.resetAndDestroy();
    return;
  }
  const { status, headers, bytes } = scriptedBytes(scripted);
  const noBody = status === 204 || status === 304;
  response.writeHead(status, {
    ...headers,
    ...(noBody ? {} : { "content-length": bytes.length + (cutOff(scripted) ? 1 : 0) }),
  });
  if (scripted.fault !== "truncate") {
    response.end(noBody ? undefined : bytes);
    return;
  }
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => message.socket.destroy());
}

/** A truncated body must announce more bytes than it sends, even if it is empty. */
function cutOff(scripted: ScriptedReply): boolean {
  return scripted.fault === "truncate";
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
}
