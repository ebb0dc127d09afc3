import { open } from "node:fs/promises";

/** A new file that only its owner can read. */
export interface NewFile {
  write(piece: string | Uint8Array): Promise<void>;
  /** Returns once everything is on the disk. */
  end(): Promise<void>;
}

/** @throws the system's error, such as EEXIST: an existing file is never changed */
export async function createFile(path: string): Promise<NewFile> {
  const file = await open(path, "wx", 0o600);
  return {
    write: (piece) => file.writeFile(piece),
    async end() {
      try {
        await file.sync();
      } finally {
        await file.close();
      }
    },
  };
}
