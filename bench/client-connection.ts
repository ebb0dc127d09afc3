import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

const HEAD_END = Buffer.from("\r\n\r\n");
const HEAD = /^HTTP\/1\.1 (\d+)[^]*?\r\ncontent-length: *(\d+)/i;

export interface Received {
  readonly status: number;
  readonly bodyBytes: number;
}

/** One keep-alive connection that sends the same request again and again and reads no more of an answer than its size. */
export class ClientConnection {
  readonly #socket: Socket;
  #head: Buffer | null = null;
  #status = 0;
  #bodyBytes = 0;
  #bytesLeft = 0;
  #settle: { resolve(received: Received): void; reject(error: Error): void } | null = null;
  closed = false;

  /** `authority`: PEM of who vouches for the other side; left out: plain HTTP. */
  constructor(port: number, authority?: string) {
    const address = { port, host: "127.0.0.1", noDelay: true };
    this.#socket = authority === undefined ? connect(address) : connectTls({ ...address, ca: authority });
    this.#socket.on("data", (chunk) => this.#read(chunk));
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("close", () => this.#fail(new Error("the connection was closed")));
  }

  send(request: Buffer): Promise<Received> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.closed = true;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#bytesLeft > 0) return this.#took(chunk.length);
    const bytes = this.#head === null ? chunk : Buffer.concat([this.#head, chunk]);
    const end = bytes.indexOf(HEAD_END);
    if (end === -1) {
      this.#head = bytes;
      return;
    }
    this.#head = null;
    const [, status, length] = HEAD.exec(bytes.toString("latin1", 0, end)) ?? [];
    if (length === undefined) return this.#fail(new Error("an answer without a length"));
    this.#status = Number(status);
    this.#bodyBytes = this.#bytesLeft = Number(length);
    this.#took(bytes.length - end - HEAD_END.length);
  }

  #took(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft > 0) return;
    const settle = this.#settle;
    this.#settle = null;
    settle?.resolve({ status: this.#status, bodyBytes: this.#bodyBytes });
  }

  #fail(error: Error): void {
    this.closed = true;
    this.#socket.destroy();
    this.#settle?.reject(error);
    this.#settle = null;
  }
}
