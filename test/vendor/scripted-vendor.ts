import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { type Behaviour, json, STANDARD } from "./behaviours.ts";
import { type RecordedRequest, RequestReader } from "./request-reader.ts";

/** What of a test this needs: `node:test` contexts fit. */
export interface TestLife {
  after(cleanup: () => unknown): void;
}

export interface VendorOptions {
  /** By path, before the standard behaviours. */
  readonly paths?: Readonly<Record<string, Behaviour>>;
  /** For paths that are neither; `{"ok":true}` unless said. */
  readonly otherwise?: Behaviour;
  /** Speaks TLS with this identity; `requestCert` and the like are `node:tls`'s own. */
  readonly tls?: TlsOptions;
  /** Closes a connection on which nothing came for so long. */
  readonly idleMs?: number;
  /** Instead of speaking HTTP at all. */
  readonly onConnection?: (socket: Socket) => void;
}

/** A vendor on loopback that does what a test tells it and remembers every request that reached it. */
export interface Vendor {
  readonly origin: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  /** Connections so far. */
  readonly connections: number;
  /** Requests so far, on one path or in all. */
  count(path?: string): number;
  on(path: string, behaviour: Behaviour): Vendor;
  /** Resolves once that many requests have come. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startVendor(t: TestLife, options: VendorOptions = {}): Promise<Vendor> {
  const vendor = new ScriptedVendor(options);
  t.after(() => vendor.close());
  await vendor.listen();
  return vendor;
}

let refusingPort = 0;

/**
 * An origin at which nothing listens, another one at each call. It is one of the ports that no system gives to whoever
 * asks for any free one: such a port, freed again, may be another test's a moment later.
 */
export async function refusingOrigin(): Promise<string> {
  do refusingPort += 1;
  while (!(await isRefused(refusingPort)));
  return `http://127.0.0.1:${refusingPort}`;
}

function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => (socket.destroy(), resolve(false)));
    socket.on("error", () => resolve(true));
  });
}

class ScriptedVendor implements Vendor {
  readonly requests: RecordedRequest[] = [];
  connections = 0;
  port = 0;
  readonly #options: VendorOptions;
  readonly #behaviours: Map<string, Behaviour>;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #awaited: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor(options: VendorOptions) {
    this.#options = options;
    this.#behaviours = new Map(Object.entries(options.paths ?? {}));
    const { tls } = options;
    // Resets of connections, and TLS handshakes that fail, are what it is for.
    if (tls === undefined) {
      this.#server = createTcpServer((socket) => this.#serve(socket));
    } else {
      this.#server = createTlsServer(tls, (socket) => this.#serve(socket));
      this.#server.on("tlsClientError", () => {});
    }
    this.#server.on("connection", (socket: Socket) => this.#keep(socket));
  }

  get origin(): string {
    return `${this.#options.tls === undefined ? "http" : "https"}://127.0.0.1:${this.port}`;
  }

  count(path?: string): number {
    return path === undefined ? this.requests.length : this.requests.filter((request) => request.path === path).length;
  }

  on(path: string, behaviour: Behaviour): this {
    this.#behaviours.set(path, behaviour);
    return this;
  }

  received(count: number): Promise<void> {
    if (this.requests.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#awaited.push({ count, resolve }));
  }

  async listen(): Promise<void> {
    this.port = await listen(this.#server);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
  }

  #serve(socket: Socket): void {
    this.#keep(socket);
    this.connections += 1;
    const { idleMs, onConnection } = this.#options;
    if (onConnection !== undefined) {
      onConnection(socket);
      return;
    }
    if (idleMs !== undefined) socket.setTimeout(idleMs, () => socket.end());
    const reader = new RequestReader(this.connections);
    socket.on("data", (chunk: Buffer) => {
      for (const request of reader.add(chunk)) this.#receive(socket, request);
    });
  }

  #receive(socket: Socket, request: RecordedRequest): void {
    this.requests.push(request);
    this.#behaviourFor(request)(socket, request);
    for (const { count, resolve } of this.#awaited) if (this.requests.length >= count) resolve();
  }

  #behaviourFor({ path }: RecordedRequest): Behaviour {
    const scripted = this.#behaviours.get(path);
    if (scripted !== undefined) return scripted;
    const [name = "", argument = ""] = path.slice(1).split("/");
    const standard = Object.hasOwn(STANDARD, name) ? STANDARD[name] : undefined;
    return standard?.(argument) ?? this.#options.otherwise ?? json({ ok: true });
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
