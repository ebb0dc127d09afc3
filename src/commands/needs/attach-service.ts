import { createLog } from "../../operate/log.ts";
import { settingsFrom } from "../../project/config-file.ts";
import { findAddress } from "../../composition/service-address.ts";

export interface AttachedService {
  readonly url: string;
  /** Started for this command only, because none was running. */
  readonly isOwn: boolean;
  close(): Promise<void>;
}

export interface AttachPlace {
  readonly dataDir: string;
  readonly project: string | undefined;
  readonly databaseUrl: string | undefined;
}

const STDERR = 2;

/**
 * The service on a data directory: the one that runs there, or one that is started on a free port for a single command.
 * In both cases a run goes through the whole service, and is recorded in its ledger.
 */
export async function attachService({ dataDir, project, databaseUrl }: AttachPlace): Promise<AttachedService> {
  const url = findAddress(dataDir);
  if (url !== null) return { url, isOwn: false, close: async () => {} };
  const settings = await settingsFrom({
    host: "127.0.0.1",
    port: "0",
    "admin-host": "127.0.0.1",
    "admin-port": "0",
    "data-dir": dataDir,
    ...(project !== undefined && { project }),
    ...(databaseUrl !== undefined && { "database-url": databaseUrl }),
  });
  const { start } = await import("../../composition/start.ts");
  const log = createLog("warn", STDERR);
  const running = await start({ settings, tell: () => {}, log, forCommand: true });
  return { url: running.url, isOwn: true, close: () => running.close() };
}
