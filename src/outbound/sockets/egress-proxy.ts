import type { Socket } from "node:net";

/** The proxy for all traffic to vendors, if a deployment has one. */
export interface EgressProxy {
  readonly hostname: string;
  readonly port: number;
  /** `Basic …`, if its URL has a user name. */
  readonly authorization: string | null;
}

const REPLY_BYTES_MAX = 16 * 1024;

/**
 * @throws Error if it is not an `http://host:port` URL; the message does not repeat the URL, which may hold a password
 */
export function readProxy(text: string, reread: () => string | undefined = () => text): EgressProxy {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== "http:" || url.hostname === "" || url.pathname !== "/" || url.search !== "")
    throw new Error("the egress proxy must be given as http://host:port");
  return {
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? 80 : Number(url.port),
    get authorization() {
      return authorizationIn(URL.parse(reread() ?? text) ?? url);
    },
  };
}

function authorizationIn({ username, password }: URL): string | null {
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return user === ":" ? null : `Basic ${Buffer.from(user).toString("base64")}`;
}

/**
 * Asks the proxy on a connected socket for a tunnel to `authority` (`host:port`). Calls back once, and reads nothing
 * from the socket beyond the proxy's answer.
 */
export function openTunnel(
  socket: Socket,
  proxy: EgressProxy,
  authority: string,
  done: (problem: string | null) => void,
): void {
  let read = Buffer.alloc(0);
  const finish = (problem: string | null): void => {
    socket.off("data", onData);
    socket.off("end", onEnd);
    socket.pause();
    done(problem);
  };
  const onEnd = (): void => finish("the egress proxy closed the connection");
  const onData = (chunk: Buffer): void => {
    read = Buffer.concat([read, chunk]);
    const end = read.indexOf("\r\n\r\n");
    if (end === -1) {
      if (read.length > REPLY_BYTES_MAX) finish("the egress proxy answered with too much");
      return;
    }
    // A vendor with TLS never sends first, so bytes after the head cannot be the vendor's.
    if (end + 4 !== read.length) finish("the egress proxy sent more than its answer");
    else if (/^HTTP\/1\.[01] 200(?: |\r)/.test(read.toString("latin1"))) finish(null);
    else finish("the egress proxy refused the connection");
  };
  socket.on("data", onData);
  socket.on("end", onEnd);
  const login = proxy.authorization === null ? "" : `proxy-authorization: ${proxy.authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${login}\r\n`, "latin1");
}
