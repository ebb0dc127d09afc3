import { connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

export interface Proxy {
  readonly url: string;
  /** The heads of the requests it received. */
  readonly heads: readonly string[];
}

/** Connects every tunnel to one port of this machine, or answers with these bytes instead. */
export async function startProxy(t: TestContext, port: number, answer?: string): Promise<Proxy> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", (data) => {
      heads.push(data.toString("latin1"));
      if (answer !== undefined) {
        socket.end(answer);
        return;
      }
      const onward = connect(port, "127.0.0.1");
      sockets.add(onward.on("error", () => {}));
      if (heads.at(-1)!.startsWith("CONNECT")) socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      else onward.write(data);
      socket.pipe(onward).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://ada:s%40crt@127.0.0.1:${(server.address() as { port: number }).port}`, heads };
}
