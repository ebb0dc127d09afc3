import { close, fdatasync, open } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { passDisk } from "./disk-faults.ts";
import { syncDirectory } from "../../terms/platform/make-directory.ts";
import { diskErrorCode } from "./journal-database.ts";

const openFile = promisify(open);
const syncFile = promisify(fdatasync);
const closeFile = promisify(close);

/**
 * Syncs the intent file shortly after each write, so that a power cut loses only the intents of that short time. It
 * runs concurrently with commits, and has no timer while there is nothing to sync.
 */
export class IntentSyncer {
  readonly #directory: string;
  readonly #everyMs: number;
  readonly #faults: Int32Array | null;
  readonly #onSynced: () => void;
  readonly #onFailed: (error: unknown) => void;
  readonly #dirty = new Set<string>();
  #syncing = false;
  #descriptor = -1;
  #file = "";

  constructor(options: {
    readonly directory: string;
    readonly everyMs: number;
    readonly faults: Int32Array | null;
    readonly onSynced: () => void;
    readonly onFailed: (error: unknown) => void;
  }) {
    this.#directory = options.directory;
    this.#everyMs = options.everyMs;
    this.#faults = options.faults;
    this.#onSynced = options.onSynced;
    this.#onFailed = options.onFailed;
  }

  wrote(files: readonly string[]): void {
    for (const file of files) this.#dirty.add(file);
    if (this.#syncing) return;
    this.#syncing = true;
    setTimeout(() => {
      this.#sync().then(
        () => {
          this.#syncing = false;
          this.#onSynced();
        },
        (error: unknown) => this.#onFailed(error),
      );
    }, this.#everyMs);
  }

  async #sync(): Promise<void> {
    for (const file of this.#dirty) {
      this.#dirty.delete(file);
      if (!(await this.#open(file))) continue;
      passDisk(this.#faults, "sync");
      await syncFile(this.#descriptor);
    }
  }

  /** False if the file does not exist any more: all its runs have outcomes. */
  async #open(file: string): Promise<boolean> {
    if (this.#file === file) return true;
    if (this.#descriptor !== -1) await closeFile(this.#descriptor);
    this.#descriptor = -1;
    this.#file = "";
    try {
      this.#descriptor = await openFile(join(this.#directory, file), "r+");
    } catch (error) {
      if (diskErrorCode(error) === "ENOENT") return false;
      throw error;
    }
    this.#file = file;
    syncDirectory(this.#directory);
    return true;
  }
}
