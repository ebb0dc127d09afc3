import { createServer, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { issueCertificate, makeAuthority } from "../test/vendor/certificate.ts";

/**
 * The vendors of a benchmark: one process, a port each, that answer every request with the same JSON after a delay and
 * count what they were asked. Started with the number of vendors, the reply's size in KB, the delay in ms and `http` or
 * `https`. It speaks just as much HTTP as the peers send, because it must be cheaper than what is measured.
 */
const [vendors, kilobytes, delayMs] = process.argv.slice(2, 5).map(Number) as [number, number, number];
const authority = process.argv[5] === "https" ? makeAuthority() : null;
const identity = authority === null ? null : issueCertificate({ names: ["127.0.0.1"], authority });
const counts = { requests: 0, withoutInputs: 0 };
const body = Buffer.from(JSON.stringify(record(kilobytes * 1024)));
const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
const reply = Buffer.concat([Buffer.from(head), body]);

/** A person-like record of about that many bytes: nested, with numbers and text, as bureaus send. */
function record(bytes: number): object {
  const entries: object[] = [];
  for (let size = 60; size < bytes; size += 118) {
    entries.push({
      date: "2026-03-14",
      kind: "address",
      score: 0.8731,
      active: true,
      line: `${entries.length} Example Street`,
      tags: ["a", "b"],
    });
  }
  return { id: "rec_000001", name: "Example Person", found: true, entries };
}

const HEAD_END = Buffer.from("\r\n\r\n");
const LENGTH = /\r\ncontent-length: *(\d+)/i;

function serve(socket: Socket): void {
  let unread: Buffer | null = null;
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    let rest: Buffer = unread === null ? chunk : Buffer.concat([unread, chunk]);
    for (let length = requestLength(rest); length !== null && rest.length >= length; length = requestLength(rest)) {
      count(rest.toString("latin1", 0, length));
      if (delayMs === 0) socket.write(reply);
      else setTimeout(() => socket.write(reply), delayMs);
      rest = rest.subarray(length);
    }
    unread = rest.length === 0 ? null : rest;
  });
}

/** Bytes of the first request, head and body, or `null` while its head is not whole. */
function requestLength(bytes: Buffer): number | null {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return null;
  const announced = LENGTH.exec(bytes.toString("latin1", 0, end));
  return end + HEAD_END.length + Number(announced?.[1] ?? 0);
}

function count(request: string): void {
  counts.requests += 1;
  // The inputs of every run, in the query of a GET or the JSON of a POST.
  if (!/ada(?:%40|@)example\.com/.test(request) || !request.includes("5550100")) counts.withoutInputs += 1;
}

const ports = await Promise.all(
  Array.from(
    { length: vendors },
    () =>
      new Promise<number>((resolve) => {
        const server = identity === null ? createServer(serve) : createTlsServer(identity, serve);
        server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
      }),
  ),
);

process.on("disconnect", () => process.exit(0));
process.on("message", () => {
  process.send!({ ...counts });
  counts.requests = counts.withoutInputs = 0;
});
process.send!({ ports, replyBytes: body.length, authority: authority?.cert ?? null });
