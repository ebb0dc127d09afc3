import { createServer } from "node:http";

/**
 * The vendors of a benchmark: one process, a port each, that answer every request with the same JSON after a delay and
 * count what they were asked. Started with the number of vendors, the reply's size in KB and the delay in ms.
 */
const [vendors, kilobytes, delayMs] = process.argv.slice(2).map(Number) as [number, number, number];
let requests = 0;
const body = Buffer.from(JSON.stringify(record(kilobytes * 1024)));

/** A person-like record of about that many bytes: nested, with numbers and text, as bureaus send. */
function record(bytes: number): object {
  const entries: object[] = [];
  for (let size = 120; size < bytes; size += 118) {
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

const ports = await Promise.all(
  Array.from(
    { length: vendors },
    () =>
      new Promise<number>((resolve) => {
        const server = createServer((request, response) => {
          requests += 1;
          request.resume();
          const answer = () => {
            response.writeHead(200, ["Content-Type", "application/json", "Content-Length", String(body.length)]);
            response.end(body);
          };
          if (delayMs === 0) answer();
          else setTimeout(answer, delayMs);
        });
        server.keepAliveTimeout = 60_000;
        server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
      }),
  ),
);

process.on("message", () => {
  process.send!({ requests });
  requests = 0;
});
process.send!({ ports });
