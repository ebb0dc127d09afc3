import { randomBytes } from "node:crypto";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { makeDirectory, syncDirectory } from "../terms/make-directory.ts";
import { formatRootKey, parseRootKeys, RootKeyError, rootKeyId } from "./root-key.ts";
import { KEY_BYTES, type NamedKey } from "./seal.ts";

const FILE_NAME = /^root-(\d{1,9})\.key$/;
const OWNER_ONLY = 0o600;

/**
 * Root keys of the embedded store: `root-1.key`, `root-2.key`, … in the data directory; the highest number is the
 * newest. Files are only added and removed, never changed, so no two processes can overwrite each other's key.
 */
export class RootKeyFiles {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /**
   * Newest first; empty if there is none yet. @throws RootKeyError for a file that others can read, or that holds no
   * key
   */
  read(): readonly NamedKey[] {
    const keys = this.#numbers().flatMap((number) => this.#keysOf(number));
    if (new Set(keys.map((key) => key.id)).size < keys.length) {
      throw new RootKeyError(`two root key files in ${this.directory} have the same key id`);
    }
    return keys;
  }

  /**
   * Adds the next key after the newest one that the caller has read; it is on disk before it is used. False if another
   * process has added one since.
   */
  add(newestRead: NamedKey | undefined): boolean {
    makeDirectory(this.directory);
    const [number = 0] = this.#numbers();
    if (number > 0 && this.#keysOf(number).every(({ id }) => id !== newestRead?.id)) return false;
    const path = this.#path(number + 1);
    const bytes = randomBytes(KEY_BYTES);
    const draft = `${path}.${randomBytes(6).toString("hex")}.draft`;
    writeDurably(draft, `${formatRootKey({ id: rootKeyId(bytes), bytes })}\n`);
    try {
      // A link instead of a rename, because it fails if the name is taken. The file appears with its whole content.
      linkSync(draft, path);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw thrown;
    } finally {
      unlinkSync(draft);
      syncDirectory(this.directory);
    }
    return true;
  }

  /** Removes the files that hold one of these keys. */
  remove(ids: ReadonlySet<string>): void {
    for (const number of this.#numbers()) {
      // Another process may remove the same one.
      if (this.#keysOf(number).every((key) => ids.has(key.id))) rmSync(this.#path(number), { force: true });
    }
    syncDirectory(this.directory);
  }

  /** None if another process has removed the file since it was listed. */
  #keysOf(number: number): readonly NamedKey[] {
    try {
      return readKeyFile(this.#path(number));
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === "ENOENT" && !this.#numbers().includes(number)) return [];
      throw thrown;
    }
  }

  #path(number: number): string {
    return join(this.directory, `root-${number}.key`);
  }

  #numbers(): readonly number[] {
    return listDirectory(this.directory)
      .flatMap((name) => FILE_NAME.exec(name)?.slice(1).map(Number) ?? [])
      .sort((a, b) => b - a);
  }
}

function listDirectory(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw thrown;
  }
}

function readKeyFile(path: string): readonly NamedKey[] {
  const file = openSync(path, "r");
  try {
    // Checked on the open file, so that the checked file is the one that is read.
    const mode = fstatSync(file).mode & 0o777;
    if ((mode & ~OWNER_ONLY) !== 0) {
      throw new RootKeyError(
        `${path} has mode ${mode.toString(8)}, so others may read the root key: chmod 600 ${path}`,
      );
    }
    return parseRootKeys(readFileSync(file, "utf8"), path);
  } finally {
    closeSync(file);
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, "wx", OWNER_ONLY);
  try {
    // All of it, also on a disk that takes it in parts, and an error if that is full.
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
