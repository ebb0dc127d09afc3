import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { journalSpaceOnDisk } from "../../../ledger/journal/journal-size.ts";
import { openUsageLog } from "../../../limits/budgets/usage-log.ts";
import { findAddress } from "../../service-address.ts";
import { cannotBeOpened } from "../../../storage/store.ts";
import type { Settings } from "../../../settings/settings.ts";
import { reasonOf } from "../reason-of.ts";
import type { Disk } from "./disk.ts";
import type { CheckReport } from "./findings.ts";

const MIB = 1024 * 1024;
const SYNC_MS_MAX = 50;
/** Space for some 84,000 runs of five calls. */
const ROOM_BYTES_MIN = 64 * MIB;

/** Kinds of file systems, by their Linux numbers. */
const ON_NETWORK = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9P"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x5346414f, "AFS"],
]);
const IN_MEMORY = new Map([
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"],
]);

/**
 * Checks whether the data directory can hold a store. Does not create it; if it does not exist, checks the nearest
 * existing parent.
 */
export function checkDataDir(settings: Settings, dataDir: string, disk: Disk, report: CheckReport): boolean {
  const place = nearestFolder(dataDir);
  const problem = problemOf(dataDir, place);
  if (problem !== null) {
    const says = settings.databaseUrl === undefined ? cannotBeOpened(dataDir, problem).message : problem.message;
    report.add("data_dir.unusable", says, { file: dataDir });
    return false;
  }
  const ledger = join(dataDir, "ledger");
  if (existsSync(ledger) && !statSync(ledger).isDirectory()) {
    report.add("data_dir.unusable", `EEXIST: file already exists, mkdir '${ledger}'`, { file: ledger });
  }
  const budgets = join(dataDir, "budgets");
  try {
    // Reads the files of earlier starts and creates none.
    openUsageLog(budgets, "");
  } catch (error) {
    report.add("data_dir.unusable", reasonOf(error), { file: budgets });
  }
  report.facts["data_dir"] = place === dataDir ? dataDir : `${dataDir}, none yet: the first start creates it`;
  const running = findAddress(dataDir);
  if (running !== null) report.facts["service"] = `runs at ${running}`;
  checkDisk(settings, place, disk, report);
  return true;
}

function checkDisk({ limits, databaseUrl }: Settings, place: string, disk: Disk, report: CheckReport): void {
  const { type, freeBytes, bytes } = disk.statfs(place);
  const network = ON_NETWORK.get(type);
  if (network !== undefined) report.add("data_dir.not_local", `${place} is on a network (${network})`, { file: place });
  const memory = IN_MEMORY.get(type);
  if (memory !== undefined) report.add("data_dir.in_memory", `${place} is in memory (${memory})`, { file: place });
  const syncMs = Math.round(disk.syncMs(place) * 10) / 10;
  report.facts["sync_ms"] = syncMs;
  if (syncMs > SYNC_MS_MAX)
    report.add("data_dir.slow", `a write to ${place} is confirmed after ${syncMs} ms`, { file: place });
  const room = journalSpaceOnDisk(freeBytes, bytes);
  const wanted = limits.journalBytes === 0 ? room : Math.min(limits.journalBytes, room);
  report.facts["journal_room_bytes"] = wanted;
  if (room < ROOM_BYTES_MIN) {
    const kept = databaseUrl === undefined ? "the ledger" : "runs that have not reached the database";
    report.add("journal.no_room", `${place} has ${Math.floor(room / MIB)} MiB left for ${kept}`, { file: place });
  }
}

/** The folder, or its nearest existing parent. */
function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

/** The error that creating or writing the folder would have. */
function problemOf(dataDir: string, place: string): NodeJS.ErrnoException | null {
  if (!statSync(place).isDirectory()) return Object.assign(new Error("a file is in the way"), { code: "ENOTDIR" });
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const call = place === dataDir ? `open '${join(dataDir, "store.sqlite")}'` : `mkdir '${dataDir}'`;
    const { message, code } = error as NodeJS.ErrnoException;
    return Object.assign(new Error(message.replace(/access '.*'$/s, call)), { code });
  }
}
