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
import { makeDirectory, syncDirectory } from "../terms/platform/make-directory.ts";
import { formatRootKey, parseRootKeys, RootKeyError, rootKeyId } from "./root-key.ts";
import { KEY_BYTES, type NamedKey } from "./seal.ts";

const FILE_NAME = /^root-(\d{1,9})\.key$/;
const OWNER_ONLY = 0o600;

/**
 * The root keys of the embedded store: `root-1.key`, `root-2.key`, … in the data directory. The highest number is the
 * newest. Files are only added and removed, never changed, so no process can overwrite the key of another.
 */
export class RootKeyFiles {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /**
   * Newest first; empty without files. @throws RootKeyError for a file that others can read, or that contains no key
   */
  read(): readonly NamedKey[] {
    const keys = this.#numbers().flatMap((number) => this.#keysOf(number));
    if (new Set(keys.map((key) => key.id)).size < keys.length) {
      throw new RootKeyError(`two root key files in ${this.directory} have the same key id`);
    }
    return keys;
  }

  /**
   * Adds the next key after `newestRead`, the newest that the caller has read. The key is on disk when this returns.
   * False if another process has added a key since.
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
      // A link and not a rename, because a link fails if the name exists. The file appears with its complete content.
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
      // Another process may have removed it already.
      if (this.#keysOf(number).every((key) => ids.has(key.id))) rmSync(this.#path(number), { force: true });
    }
    syncDirectory(this.directory);
  }

  /** Empty if another process has removed the file since the listing. */
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
    // Checks the open file, so that the checked file is the file that is read.
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
    // Writes all bytes even if the disk accepts them in parts, and throws if the disk is full.
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
