import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { TlsOptions } from "node:tls";
import { Worker } from "node:worker_threads";
import type { TestLife } from "./scripted-vendor.ts";

export interface VendorThread {
  readonly origin: string;
  /** Resolves once so many things that nobody asked for have gone out. */
  surplus(count: number): Promise<void>;
  /** The same without giving the loop a chance to notice, as a large body that is parsed does. */
  busyUntilSurplus(count: number): void;
}

const WAIT_MS = 10_000;

/**
 * The standard vendor in a thread of its own, which goes on sending while the loop of the test is busy. Besides the
 * standard behaviours it has `/twice/5`, which answers and five milliseconds later once more, unasked, and `/then-close/5`,
 * which answers and then closes without having said so.
 */
export async function startVendorThread(t: TestLife, tls?: TlsOptions): Promise<VendorThread> {
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL("vendor-thread-worker.ts", import.meta.url), { workerData: { tls, counter } });
  t.after(() => worker.terminate());
  const [origin] = (await once(worker, "message")) as [string];
  return {
    origin,
    async surplus(count) {
      const until = performance.now() + WAIT_MS;
      while (Atomics.load(counter, 0) < count && performance.now() < until) await delay(1);
    },
    busyUntilSurplus(count) {
      const until = performance.now() + WAIT_MS;
      while (Atomics.load(counter, 0) < count && performance.now() < until);
    },
  };
}
