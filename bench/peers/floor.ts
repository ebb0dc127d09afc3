import { createServer } from "node:http";
import { Pool, type Dispatcher } from "undici";

/**
 * The floor: the least that can do the job. `node:http` in, one `Pool.dispatch` per source out, parse and stringify; no
 * authentication, no validation, no deadline, no record of anything.
 */
const origins = process.argv.slice(2);
const pools = origins.map((origin) => new Pool(origin, { connections: 64, keepAliveTimeout: 60_000 }));

class Handler implements Dispatcher.DispatchHandler {
  readonly chunks: Buffer[] = [];
  readonly done: (value: unknown) => void;
  constructor(done: (value: unknown) => void) {
    this.done = done;
  }
  onRequestStart(): void {}
  onResponseStart(): void {}
  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.chunks.push(chunk);
  }
  onResponseEnd(): void {
    this.done(JSON.parse((this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks)).toString()));
  }
  onResponseError(): void {
    this.done({});
  }
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as {
      config: { sources: object };
      inputs: Record<string, string>;
    };
    const startedAt = performance.now();
    const names = Object.keys(body.config.sources);
    const outputs: Record<string, unknown> = {};
    let left = names.length;
    names.forEach((name, index) => {
      const get = index % 2 === 0;
      const handler = new Handler((value) => {
        outputs[name] = value;
        left -= 1;
        if (left > 0) return;
        const answer = Buffer.from(
          JSON.stringify({ config: body.config, outputs, response_time_ms: Math.round(performance.now() - startedAt) }),
        );
        response.writeHead(200, ["Content-Type", "application/json", "Content-Length", String(answer.length)]);
        response.end(answer);
      });
      const query = `?email=${encodeURIComponent(body.inputs["email"]!)}&phone=${encodeURIComponent(body.inputs["phone"]!)}`;
      pools[index]!.dispatch(
        get
          ? { path: `/person${query}`, method: "GET" }
          : {
              path: "/person",
              method: "POST",
              headers: ["content-type", "application/json"],
              body: JSON.stringify({ email: body.inputs["email"], phone: body.inputs["phone"] }),
            },
        handler,
      );
    });
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send!({ port: (server.address() as { port: number }).port }));
