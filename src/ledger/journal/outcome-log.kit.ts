/** A disk that loses power: any sectors of unsynced data may survive. */
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { MakeOutcomeFile } from "./outcome-files.ts";

const SECTOR_BYTES = 512;

interface ModelFile {
  /** Bytes that are certainly on disk. */
  synced: Buffer;
  /** The write in progress. */
  underWay: { readonly group: Uint8Array; readonly at: number } | null;
}

export class ModelDisk {
  readonly files = new Map<string, ModelFile>();
  /** Functions that end the writes in progress. Writes do not end by themselves. */
  #release: (() => void)[] = [];

  readonly makeFile: MakeOutcomeFile = async (path, bytes) => {
    const file: ModelFile = { synced: Buffer.alloc(bytes), underWay: null };
    this.files.set(basename(path), file);
    return {
      write: (group, at) => {
        if (file.underWay !== null) throw new Error("two writes at a time");
        file.underWay = { group: Uint8Array.from(group), at };
        return new Promise((resolve) => {
          this.#release.push(() => {
            file.synced = whole(file);
            file.underWay = null;
            resolve();
          });
        });
      },
      close: () => {},
    };
  };

  /** Ends the writes in progress, and lets the code that waits for them run. */
  async sync(): Promise<void> {
    const release = this.#release;
    this.#release = [];
    for (const end of release) end();
    await turn();
  }

  /**
   * The disk after the power cut: each sector of a write in progress has its old or its new content, as `survives`
   * says.
   */
  image(survives: readonly boolean[]): ReadonlyMap<string, Buffer> {
    let sector = 0;
    const images = new Map<string, Buffer>();
    for (const [name, file] of this.files) {
      const image = Buffer.from(file.synced);
      if (file.underWay !== null) {
        const after = whole(file);
        const { group, at } = file.underWay;
        for (let from = at; from < at + group.length; from += SECTOR_BYTES) {
          const isNew = survives[sector % survives.length] === true;
          sector += 1;
          if (isNew) after.copy(image, from, from, from + SECTOR_BYTES);
        }
      }
      images.set(name, image);
    }
    return images;
  }
}

function whole({ synced, underWay }: ModelFile): Buffer {
  if (underWay === null) return Buffer.from(synced);
  const { group, at } = underWay;
  const bytes = Buffer.alloc(Math.max(synced.length, at + group.length));
  synced.copy(bytes);
  bytes.set(group, at);
  return bytes;
}

export function placeImage(directory: string, image: ReadonlyMap<string, Buffer>): void {
  for (const [name, bytes] of image) writeFileSync(join(directory, name), bytes);
}

/** One tick of the event loop, including its `setImmediate` callbacks. */
export async function turn(): Promise<void> {
  for (let at = 0; at < 2; at += 1) await new Promise((resolve) => setImmediate(resolve));
}
