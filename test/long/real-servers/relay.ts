import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { TestContext } from "node:test";

export interface Relay {
  readonly port: number;
  /** Connections that were opened. */
  readonly connections: number;
  /** Requests that were sent; 0 with TLS. */
  readonly requests: number;
  /** What the server has sent, one character per byte; unreadable with TLS. */
  readonly received: string;
  /** Resolves when the server has closed the first connection. */
  readonly serverClosed: Promise<void>;
}

/**
 * Stands between a client and a server on loopback, and passes on all bytes and closes. It counts what a real server does
 * not tell.
 * @param injected a header field that it adds to every request, as a proxy may do
 */
export async function openRelay(t: TestContext, serverPort: number, injected = ""): Promise<Relay> {
  const sockets = new Set<Socket>();
  const closed = Promise.withResolvers<void>();
  const counts = { connections: 0, requests: 0, received: "" };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    counts.connections += 1;
    const upstream = connect({ port: serverPort, host: "127.0.0.1", allowHalfOpen: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    }
    client.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      if (!/^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(text)) return void upstream.write(bytes);
      counts.requests += 1;
      upstream.write(injected === "" ? bytes : Buffer.from(text.replace("\r\n", `\r\n${injected}\r\n`), "latin1"));
    });
    upstream.on("data", (bytes) => {
      counts.received += bytes.toString("latin1");
      client.write(bytes);
    });
    client.on("end", () => upstream.end()).on("close", () => upstream.destroy());
    upstream.on("end", () => {
      client.end();
      closed.resolve();
    });
    upstream.on("close", () => client.destroySoon());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    serverClosed: closed.promise,
    get connections() {
      return counts.connections;
    },
    get requests() {
      return counts.requests;
    },
    get received() {
      return counts.received;
    },
  };
}
