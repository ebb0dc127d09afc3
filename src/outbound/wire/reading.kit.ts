import { request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { Client } from "undici";
import { BadReplyError, type ReplyFields } from "./reply-head.ts";
import { ReplyParser } from "./reply-parser.ts";

/** A reply as a client reads it from bytes after which the connection ends. */
export interface CompleteReply {
  readonly status: number;
  readonly fields: ReplyFields;
  /** One character per byte. */
  readonly body: string;
}

/** The result of our parser. */
export interface Reading {
  /** `null`: refused, or cut short by the end. */
  readonly whole: CompleteReply | null;
  /** Why it was refused. */
  readonly problem: BadReplyError | null;
  /** How many bytes belong to the reply. */
  readonly used: number;
  /** Whether the connection carries another request. */
  readonly reusable: boolean;
}

export const HEAD_BYTES_MAX = 4_096;

export function readByParser(pieces: readonly Buffer[], method = "GET", lenient = false): Reading {
  const parser = new ReplyParser(HEAD_BYTES_MAX);
  let [status, fields]: [number, ReplyFields] = [0, {}];
  const body: Buffer[] = [];
  const reader = {
    onHead: (...head: [number, ReplyFields]) => ([status, fields] = head),
    onBody: (piece: Buffer) => body.push(Buffer.from(piece)),
  };
  parser.begin(method, reader, lenient);
  let used = 0;
  try {
    for (const piece of pieces) if (!parser.isOver) used += parser.read(piece);
    const isWhole = parser.isOver || parser.end();
    const whole = isWhole ? { status, fields, body: Buffer.concat(body).toString("latin1") } : null;
    return { whole, problem: null, used, reusable: isWhole && parser.keepAlive !== null };
  } catch (problem) {
    if (!(problem instanceof BadReplyError)) throw problem;
    return { whole: null, problem, used, reusable: false };
  }
}

/** A connection whose other side sends these pieces once it has received anything. */
function connectionSaying(pieces: readonly Buffer[]): Duplex {
  let isAsked = false;
  return new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      done();
      if (isAsked) return;
      isAsked = true;
      setImmediate(() => {
        for (const piece of pieces) this.push(piece);
        this.push(null);
      });
    },
    final: (done) => done(),
  });
}

/** The result of Node's own client. `null`: refused, or cut short. @param lenient with `insecureHTTPParser` */
export function readByNode(pieces: readonly Buffer[], method = "GET", lenient = false): Promise<CompleteReply | null> {
  return new Promise((resolve) => {
    const connection = connectionSaying(pieces);
    const settle = (whole: CompleteReply | null): void => {
      resolve(whole);
      connection.destroy();
    };
    const request = httpRequest({
      method,
      createConnection: () => connection as Socket,
      maxHeaderSize: 2 * HEAD_BYTES_MAX,
      insecureHTTPParser: lenient,
    });
    request.on("error", () => settle(null));
    request.on("response", (response) => {
      const body: Buffer[] = [];
      response.on("data", (piece: Buffer) => body.push(piece));
      response.on("error", () => settle(null));
      response.on("end", () => {
        if (!response.complete) return settle(null);
        const fields: Record<string, string | string[]> = Object.create(null);
        for (let at = 0; at < response.rawHeaders.length; at += 2) {
          const name = response.rawHeaders[at]!.toLowerCase();
          const value = response.rawHeaders[at + 1]!;
          const before = fields[name];
          fields[name] = before === undefined ? value : [before, value].flat();
        }
        settle({ status: response.statusCode!, fields, body: Buffer.concat(body).toString("latin1") });
      });
    });
    request.on("upgrade", () => settle(null));
    request.end();
  });
}

/** The result of undici. `null`: refused, or cut short. */
export function readByUndici(pieces: readonly Buffer[], method = "GET"): Promise<CompleteReply | null> {
  const client = new Client("http://vendor.example", {
    allowH2: false,
    maxHeaderSize: 2 * HEAD_BYTES_MAX,
    connect: (_, callback) => setImmediate(() => callback(null, connectionSaying(pieces) as Socket)),
  });
  return new Promise<CompleteReply | null>((resolve) => {
    let [status, fields]: [number, ReplyFields] = [0, {}];
    const body: Buffer[] = [];
    client.dispatch(
      { path: "/", method },
      {
        onRequestStart: () => {},
        onResponseStart: (_, code, headers) => {
          if (code >= 200) [status, fields] = [code, headers];
        },
        onResponseData: (_, piece) => void body.push(Buffer.from(piece)),
        onResponseEnd: () => resolve({ status, fields, body: Buffer.concat(body).toString("latin1") }),
        onResponseError: () => resolve(null),
      },
    );
  }).finally(() => void client.destroy().catch(() => {}));
}
