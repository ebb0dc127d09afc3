import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";

/** The operating system's functions that the check of a disk uses. */
export interface Disk {
  statfs(path: string): DiskFacts;
  /** The median time of syncing a small write, in milliseconds. Leaves no file behind. */
  syncMs(directory: string): number;
}

export interface DiskFacts {
  /** The number of the file system's kind in Linux. */
  readonly type: number;
  readonly freeBytes: number;
  readonly bytes: number;
}

const SYNCS = 9;
const WRITTEN = Buffer.alloc(4096);

export const systemDisk: Disk = {
  statfs(path) {
    const { type, bavail, bsize, blocks } = statfsSync(path);
    return { type, freeBytes: bavail * bsize, bytes: blocks * bsize };
  },
  syncMs(directory) {
    const path = join(directory, `.datarun-check-${process.pid}`);
    const file = openSync(path, "wx", 0o600);
    try {
      const took = Array.from({ length: SYNCS }, () => {
        const from = performance.now();
        writeSync(file, WRITTEN);
        fdatasyncSync(file);
        return performance.now() - from;
      });
      return took.sort((a, b) => a - b)[Math.floor(SYNCS / 2)]!;
    } finally {
      closeSync(file);
      rmSync(path);
    }
  },
};
