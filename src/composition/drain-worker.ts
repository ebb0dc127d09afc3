/** The thread of `ledger/drain/drain-thread.ts`: a drainer, and a connection of its own to the shared database. */
import { parentPort, workerData } from "node:worker_threads";
import { Drainer, untilDrained } from "../ledger/drain/drainer.ts";
import type { FromDrainer, ToDrainer } from "../ledger/drain/drain-thread.ts";
import type { LedgerLog } from "../ledger/ports.ts";
import { openStore, type JournalInUse } from "../storage/store.ts";
import { systemClock as clock } from "../terms/time/clock.ts";

export interface DrainWorkerData {
  readonly dir: string;
  readonly databaseUrl: string;
  /** The journal's usage when the service started. */
  readonly usedJournal: JournalInUse | null;
}

/** How often the service is notified of the number of waiting runs. */
const TELL_MS = 250;

const port = parentPort!;
const { dir, databaseUrl, usedJournal } = workerData as DrainWorkerData;
const post = (message: FromDrainer): void => port.postMessage(message);
const logAs =
  (level: keyof LedgerLog) =>
  (fields: object, message: string): void =>
    post({ is: "log", level, fields, message });

const store = await openStore({ dataDir: "", databaseUrl, clock, usedJournal });
let written = (): void => {};
const drainer = new Drainer({
  dir,
  ledger: { recordDrained: (note) => post({ is: "noted", note }), onWritten: (listener) => (written = listener) },
  sink: store.ledger,
  clock,
  log: { info: logAs("info"), warn: logAs("warn"), error: logAs("error") },
});

let told = "";
const telling = setInterval(postState, TELL_MS);
function postState(): void {
  const { pendingRuns, damaged, failures } = drainer.state();
  const state = `${pendingRuns} ${damaged} ${failures}`;
  if (told === state) return;
  told = state;
  post({ is: "state", state: { pendingRuns, damaged, failures } });
}

port.on("message", (message: ToDrainer) => {
  if (message.is === "written") written();
  else void end(message.withinMs);
});

async function end(withinMs: number): Promise<void> {
  const giveUpAt = clock.now() + withinMs;
  await untilDrained(drainer, clock, () => clock.now() >= giveUpAt);
  await drainer.close();
  clearInterval(telling);
  await store.close();
  port.close();
}
