import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Reads a text that was saved in a file for the next start. The file starts with a digest; an empty, truncated or
 * changed file counts as absent.
 */
export async function readSavedText(place: string): Promise<string | null> {
  try {
    const kept = await readFile(place, "utf8");
    const end = kept.indexOf("\n");
    const text = kept.slice(end + 1);
    return end > 0 && kept.slice(0, end) === digestOf(text) ? text : null;
  } catch {
    return null;
  }
}

/** Replaces the file atomically: even after a power failure, it contains either the previous text or this one. */
export async function writeSavedText(place: string, text: string): Promise<void> {
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  const draft = `${place}.${process.pid}`;
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(`${digestOf(text)}\n${text}`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, place);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
