import { randomFillSync } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

export const RESERVE_FILE = "reserve";
const CHUNK_BYTES = 1024 * 1024;

/**
 * Places a file that reserves space for when the disk is full. While it exists, there is room for the outcomes of all
 * admitted runs. Deleting it makes that room, and no new run is admitted until it exists again. This delays no commits.
 * @throws when there is no room; nothing is left behind then
 */
export async function createReserve(directory: string, bytes: number): Promise<void> {
  const path = join(directory, RESERVE_FILE);
  if (statSync(path, { throwIfNoEntry: false })?.size === bytes) return;
  const file = await open(path, "w", 0o600);
  try {
    // Random bytes, because no file system can compress them.
    const chunk = randomFillSync(Buffer.allocUnsafe(Math.min(bytes, CHUNK_BYTES)));
    for (let written = 0; written < bytes;) {
      const { bytesWritten } = await file.write(chunk, 0, Math.min(chunk.length, bytes - written));
      written += bytesWritten;
    }
    await file.datasync();
  } catch (error) {
    dropReserve(directory);
    throw error;
  } finally {
    await file.close();
  }
}

export function dropReserve(directory: string): void {
  rmSync(join(directory, RESERVE_FILE), { force: true });
}
