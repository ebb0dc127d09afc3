import {
  connect as connectTcp,
  isIP,
  type LookupFunction,
  type OnReadOpts,
  type Socket,
  type TcpNetConnectOpts,
} from "node:net";
import { connect as connectTls, type ConnectionOptions, type SecureContext } from "node:tls";
import type { Clock } from "../../terms/time/clock.ts";
import { type EgressProxy, openTunnel } from "./egress-proxy.ts";
import { DECLARED, type NameLookup } from "./name-lookup.ts";
import { isPublicAddress } from "./public-address.ts";

/** The destination of the connections of one pool. */
export interface Destination {
  readonly secure: boolean;
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
  /** The organization that chose the name through a pattern; `DECLARED` if it is written in a file. */
  readonly namedBy: string;
  /** Whether the host may have a private address, because its origin is declared exactly. */
  readonly privateAllowed: boolean;
  /** The client certificate and the trusted authorities; `undefined` for Node's defaults. */
  readonly secureContext: SecureContext | undefined;
  /** The last TLS session, which the next connection resumes. */
  session: Buffer | undefined;
}

export interface SocketNeeds {
  readonly clock: Clock;
  readonly names: NameLookup;
  readonly proxy: EgressProxy | null;
  readonly connectMaxMs: number;
}

/** `bytes` are only valid during the call: the buffer is then used for other connections. */
export type OnRead = (bytes: Buffer, socket: Socket) => void;

/** The buffer into which all connections are read, one read at a time, except connections through a tunnel. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * No connection could be opened, so nothing of a request was sent. `message` is our own text, `cause` the system's
 * error.
 */
export class ConnectError extends Error {}

/**
 * Opens one connection: name look-up, address check, TCP, proxy and TLS within one time limit. Calls `opened` or `failed`
 * once. It connects to the address that was checked, and TLS checks the host name. Bytes that arrive on the open connection
 * are passed to `read`.
 */
export class SocketOpening {
  readonly #destination: Destination;
  readonly #needs: SocketNeeds;
  readonly #opened: (socket: Socket) => void;
  readonly #failed: (error: ConnectError) => void;
  readonly #read: OnRead;
  readonly #cancelTimer: () => void;
  #socket: Socket | null = null;
  #isOver = false;

  constructor(
    destination: Destination,
    needs: SocketNeeds,
    opened: (socket: Socket) => void,
    failed: (error: ConnectError) => void,
    read: OnRead,
  ) {
    this.#destination = destination;
    this.#needs = needs;
    this.#opened = opened;
    this.#failed = failed;
    this.#read = read;
    this.#cancelTimer = needs.clock.after(needs.connectMaxMs, () => this.#fail("connecting took too long"));
    const [name, namedBy] =
      needs.proxy === null ? [destination.hostname, destination.namedBy] : [needs.proxy.hostname, DECLARED];
    needs.names.addressesOf(name, namedBy).then(
      (addresses) => this.#connect(addresses),
      (error: unknown) => this.#fail("the host name could not be resolved", error),
    );
  }

  /** Gives up without calling back. */
  cancel(): void {
    if (this.#end()) this.#socket?.destroy();
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#cancelTimer();
    return true;
  }

  #fail(reason: string, cause?: unknown): void {
    if (!this.#end()) return;
    this.#socket?.destroy();
    this.#failed(new ConnectError(reason, cause === undefined ? {} : { cause }));
  }

  #connect(addresses: readonly string[]): void {
    if (this.#isOver) return;
    const { secure, hostname, port, privateAllowed } = this.#destination;
    const { proxy } = this.#needs;
    // A proxy resolves the vendor's name itself, so blocking private addresses is its task.
    const usable = proxy !== null || privateAllowed ? addresses : addresses.filter(isPublicAddress);
    if (usable.length === 0) {
      this.#fail("the host name leads to addresses of private or special networks only");
      return;
    }
    const target = {
      host: proxy === null ? hostname : proxy.hostname,
      port: proxy === null ? port : proxy.port,
      lookup: answeringWith(usable),
      autoSelectFamily: true,
      noDelay: true,
    };
    if (secure && proxy !== null) this.#tunnel(proxy, target);
    else if (secure) this.#secure({ ...target, onread: this.#intoReadBuffer() });
    else this.#open(connectTcp({ ...target, onread: this.#intoReadBuffer() }), (socket) => this.#done(socket));
  }

  /** Calls `connected` when TCP is connected. */
  #open(socket: Socket, connected: (socket: Socket) => void): void {
    this.#socket = socket;
    socket.on("error", (error) => this.#fail("no connection", error));
    socket.on("close", () => this.#fail("the connection was closed"));
    socket.once("connect", () => connected(socket));
  }

  #tunnel(proxy: EgressProxy, target: TcpNetConnectOpts): void {
    const { hostname, port } = this.#destination;
    const authority = `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`;
    // The tunnel and TLS in it read through Node's streams.
    this.#open(connectTcp({ ...target, highWaterMark: READ_BUFFER.length } as TcpNetConnectOpts), (socket) => {
      openTunnel(socket, proxy, authority, (problem) => {
        if (problem === null) this.#secure({ socket, host: hostname });
        else this.#fail(problem);
      });
    });
  }

  #intoReadBuffer(): OnReadOpts {
    return {
      buffer: READ_BUFFER,
      callback: (size) => {
        this.#read(READ_BUFFER.subarray(0, size), this.#socket!);
        return true;
      },
    };
  }

  /** @param over the address to connect to, or a connected socket */
  #secure(over: ConnectionOptions & { readonly onread?: OnReadOpts }): void {
    if (this.#isOver) return;
    const destination = this.#destination;
    const { hostname } = destination;
    let isConnected = over.socket !== undefined;
    const secured = connectTls({
      ...over,
      // An IP address cannot be sent as the server name; the certificate is still checked against it.
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ...(destination.secureContext === undefined ? {} : { secureContext: destination.secureContext }),
      ...(destination.session === undefined ? {} : { session: destination.session }),
      ALPNProtocols: ["http/1.1"],
      minVersion: "TLSv1.2",
      // Set explicitly, so that no environment variable can turn it off.
      rejectUnauthorized: true,
    });
    this.#socket = secured;
    secured.on("session", (session) => {
      destination.session = session;
    });
    secured.once("connect", () => {
      isConnected = true;
      // Node does not pass the option on.
      secured.setNoDelay(true);
    });
    secured.on("error", (error) => {
      if (!isConnected) return this.#fail("no connection", error);
      destination.session = undefined;
      this.#fail("no secure connection", error);
    });
    secured.on("close", () => this.#fail("the connection was closed"));
    secured.once("secureConnect", () => this.#done(secured));
  }

  #done(socket: Socket): void {
    if (!this.#end()) return;
    socket.on("data", (bytes: Buffer) => this.#read(bytes, socket));
    this.#opened(socket);
  }
}

/** Opens a connection and closes it at once. Resolves to `null`, or to the reason of a failure. Never rejects. */
export function tryConnection(destination: Destination, needs: SocketNeeds): Promise<ConnectError | null> {
  return new Promise((resolve) => {
    const opened = (socket: { destroy(): unknown }): void => {
      socket.destroy();
      resolve(null);
    };
    // oxlint-disable-next-line no-new -- it calls back
    new SocketOpening(destination, needs, opened, resolve, () => {});
  });
}

/** Passes the checked addresses to Node, which tries them in turn (RFC 8305). */
function answeringWith(addresses: readonly string[]): LookupFunction {
  return (_hostname, options, callback) => {
    const records = addresses.map((address) => ({ address, family: isIP(address) }));
    if (options.all === true) callback(null, records);
    else callback(null, records[0]!.address, records[0]!.family);
  };
}
