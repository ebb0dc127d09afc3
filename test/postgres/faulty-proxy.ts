import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * What the network does. In a `black hole` connections open and stay open and nothing passes; what was sent meanwhile
 * arrives when it clears, as TCP would have it.
 */
export type Weather = "fair" | "black hole" | "resets" | "1 KB/s";

/** A loopback port in front of a server, as bad a network as a test asks for. */
export interface FaultyProxy {
  readonly port: number;
  /** Changes for connections that are open and for new ones. */
  turn(weather: Weather): void;
  close(): Promise<void>;
}

const DRIP_BYTES = 50;
const DRIP_EVERY_MS = 50;

export async function startFaultyProxy(serverSocket: string): Promise<FaultyProxy> {
  const clients = new Set<Socket>();
  const ways = new Set<OneWay>();
  let weather: Weather = "fair";
  const server = createServer((client) => {
    const far = connect(serverSocket);
    clients.add(client);
    const pair = [new OneWay(client, far), new OneWay(far, client)];
    for (const way of pair) way.pump(weather);
    for (const way of pair) ways.add(way);
    client.on("close", () => {
      clients.delete(client);
      for (const way of pair) ways.delete(way);
    });
    if (weather === "resets") client.resetAndDestroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const ticking = setInterval(() => ways.forEach((way) => way.pump(weather)), DRIP_EVERY_MS);
  return {
    port: (server.address() as AddressInfo).port,
    turn: (next) => {
      weather = next;
      if (next === "resets") for (const client of clients) client.resetAndDestroy();
      for (const way of ways) way.pump(weather);
    },
    close: async () => {
      clearInterval(ticking);
      for (const client of clients) client.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** One direction of a connection: what came in and has not gone out, in its order. */
class OneWay {
  readonly #to: Socket;
  #waiting = Buffer.alloc(0);
  #weather: Weather = "fair";

  constructor(from: Socket, to: Socket) {
    this.#to = to;
    from.on("data", (chunk: Buffer) => {
      this.#waiting = Buffer.concat([this.#waiting, chunk]);
      if (this.#weather === "fair") this.pump("fair");
    });
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
  }

  pump(weather: Weather): void {
    this.#weather = weather;
    const bytes = { fair: this.#waiting.length, "1 KB/s": DRIP_BYTES, "black hole": 0, resets: 0 }[weather];
    if (bytes === 0 || this.#waiting.length === 0 || this.#to.destroyed) return;
    this.#to.write(this.#waiting.subarray(0, bytes));
    this.#waiting = this.#waiting.subarray(bytes);
  }
}
