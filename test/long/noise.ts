import { parentPort, workerData, Worker } from "node:worker_threads";
import { createClient } from "../rig/client.ts";
import { body } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

/** What a neighbour sends, over and over. */
export interface Noise {
  readonly url: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly atOnce: number;
}

export interface Neighbour {
  /** Of a vendor with large replies. */
  readonly origin: string;
  begin(noise: Noise): void;
  /** Resolves when nothing of it is under way. */
  end(): Promise<void>;
}

/** In a thread of its own, with its vendor: what it does with its time is not what is measured. */
export async function openNeighbour(t: { after(end: () => Promise<unknown>): void }): Promise<Neighbour> {
  const worker = new Worker(new URL(import.meta.url), { workerData: "neighbour" });
  t.after(() => worker.terminate());
  const told = () => new Promise<string>((resolve) => worker.once("message", resolve));
  const origin = await told();
  return {
    origin,
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    begin: (noise) => worker.postMessage(noise),
    end: async () => {
      const ended = told();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(null);
      await ended;
    },
  };
}

if (workerData === "neighbour") {
  const port = parentPort!;
  const large = body(JSON.stringify({ text: "x".repeat(4_900_000) }));
  const vendor = await startVendor({ after: () => {} }, { paths: { "/large": large } });
  let over = false;
  let making: Promise<unknown> = Promise.resolve();
  port.on("message", (noise: Noise | null) => {
    if (noise !== null) making = Promise.all(Array.from({ length: noise.atOnce }, () => make(noise)));
    over = noise === null;
    if (over) void making.then(() => port.postMessage("ended"));
  });
  port.postMessage(vendor.origin);

  async function make({ url, path, headers, body }: Noise): Promise<void> {
    const client = createClient(url, 1);
    while (!over) {
      const statusCode = await client.send({ method: "POST", path, headers, body }).then(
        (reply) => reply.statusCode,
        () => 0,
      );
      // One who is refused asks again, but not at once.
      if (statusCode !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    client.close();
  }
}
