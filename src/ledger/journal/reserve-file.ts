import { randomFillSync } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

export const RESERVE_FILE = "reserve";
const CHUNK_BYTES = 1024 * 1024;

/**
 * Creates a file that reserves space for when the disk is full. While it exists, there is space for the outcomes of all
 * admitted runs. Its deletion frees that space, and no new run is admitted until it exists again. Commits do not wait
 * for this.
 * @throws when there is not enough space; no file is left behind then
 */
export async function createReserve(directory: string, bytes: number): Promise<void> {
  const path = join(directory, RESERVE_FILE);
  if (statSync(path, { throwIfNoEntry: false })?.size === bytes) return;
  const file = await open(path, "w", 0o600);
  try {
    // Random bytes, which no file system can compress.
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
