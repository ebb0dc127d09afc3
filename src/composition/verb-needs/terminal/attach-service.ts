import { join } from "node:path";
import { findAddress } from "../../service-address.ts";
import { isLocked, LedgerInUse } from "../../../ledger/journal/directory-lock.ts";
import { createLog } from "../../../operate/log.ts";
import { settingsFrom } from "../../../project/config-file.ts";
import type { Clock } from "../../../terms/time/clock.ts";
import { OperatorError } from "../../../terms/operator-error.ts";

export interface AttachedService {
  readonly url: string;
  /** Whether the service was started for this command, because none was running. */
  readonly isOwn: boolean;
  close(): Promise<void>;
}

export interface AttachOptions {
  readonly dataDir: string;
  readonly project: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly clock: Clock;
  note(sentence: string): void;
}

const STDERR = 2;

/** How long to wait for other commands to end. */
const PATIENCE_MS = 30_000;
const CHECK_EVERY_MS = 50;

/**
 * The service on a data directory: the running one, or one started on a free port for this command. In both cases a run
 * goes through the whole service, and is recorded in its ledger. Commands that start a service run one after another,
 * because only one process can lock the ledger.
 * @throws OperatorError if the others do not end in time
 */
export async function attachService(place: AttachOptions): Promise<AttachedService> {
  const { dataDir, clock, note } = place;
  const giveUpAt = clock.now() + PATIENCE_MS;
  for (let looks = 0; ; looks += 1) {
    const url = findAddress(dataDir);
    if (url !== null) return { url, isOwn: false, close: async () => {} };
    const own = isLocked(join(dataDir, "ledger")) ? null : await startOwn(place);
    if (own !== null) return own;
    if (clock.now() >= giveUpAt) throw new OperatorError("unavailable", inUse(dataDir));
    if (looks === 0) note("Another command or service has locked the ledger of this data directory: waiting for it.");
    await new Promise<void>((resolve) => void clock.after(CHECK_EVERY_MS, resolve));
  }
}

/** `null` if another process has just locked the ledger. */
async function startOwn({ dataDir, project, databaseUrl }: AttachOptions): Promise<AttachedService | null> {
  const settings = await settingsFrom({
    host: "127.0.0.1",
    port: "0",
    "admin-host": "127.0.0.1",
    "admin-port": "0",
    "data-dir": dataDir,
    ...(project !== undefined && { project }),
    ...(databaseUrl !== undefined && { "database-url": databaseUrl }),
  });
  const { start } = await import("../../start.ts");
  const log = createLog("warn", STDERR);
  try {
    const running = await start({ settings, log, forCommand: true });
    return { url: running.url, isOwn: true, close: () => running.close() };
  } catch (error) {
    if (error instanceof LedgerInUse) return null;
    throw error;
  }
}

function inUse(dataDir: string): string {
  return `Another command or service has locked the ledger in ${join(dataDir, "ledger")} for ${PATIENCE_MS / 1_000} seconds, and takes no runs from others. Nothing was run: give the command again when that one has ended.`;
}
