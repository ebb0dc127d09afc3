import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * The write-ahead log of an open database. A connection with `synchronous = normal` commits without waiting for the
 * disk. Its commits survive a power failure once this file is synced, or once their pages are in the database, which
 * SQLite syncs itself. SQLite has no locks on this file, which closing a handle would release.
 */
export class WriteAheadLog {
  readonly #path: string;
  #handle: FileHandle | null = null;

  /** @param database the path of the database */
  constructor(database: string) {
    this.#path = `${database}-wal`;
  }

  /** Waits for the disk in a thread of the pool. */
  async sync(): Promise<void> {
    if (this.#handle === null) await this.#open();
    await this.#handle!.datasync();
  }

  async #open(): Promise<void> {
    const handle = await open(this.#path, "r+");
    // Also syncs the directory entry: SQLite creates the file anew for each start.
    const directory = await open(dirname(this.#path), "r");
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
    const other = this.#handle;
    this.#handle = handle;
    await other?.close();
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
  }
}
