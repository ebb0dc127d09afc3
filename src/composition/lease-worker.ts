/** The thread of `leases/lease-thread.ts`: connections of its own to the embedded store. */
import { parentPort, workerData } from "node:worker_threads";
import { grantMore } from "../leases/grant.ts";
import type { FromLeases, ToLeases } from "../leases/lease-thread.ts";
import { openStore } from "../storage/store.ts";
import { systemClock as clock } from "../terms/clock.ts";

export interface LeaseWorkerData {
  readonly dataDir: string;
}

const port = parentPort!;
const { dataDir } = workerData as LeaseWorkerData;
const post = (message: FromLeases): void => port.postMessage(message);

const store = await openStore({ dataDir, clock, opening: "look" });
const { leases } = store;

port.on("message", (message: ToLeases) => {
  if (message.is === "end") return void store.close().then(() => port.close());
  const { number, asks } = message;
  leases.exchange(asks, grantMore).then(
    (answers) => post({ is: "done", number, answers }),
    (error: unknown) => post({ is: "failed", number, message: String(error) }),
  );
});
post({ is: "ready" });
