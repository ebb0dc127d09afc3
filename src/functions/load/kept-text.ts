import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Text that is kept in a file for the next start and is worth nothing if it is not whole: a digest stands before it, and
 * a file that is empty, cut or changed counts as absent.
 */
export async function readKept(place: string): Promise<string | null> {
  try {
    const kept = await readFile(place, "utf8");
    const end = kept.indexOf("\n");
    const text = kept.slice(end + 1);
    return end > 0 && kept.slice(0, end) === digestOf(text) ? text : null;
  } catch {
    return null;
  }
}

/** Under its name lies the text before or this one, after a power cut too. */
export async function writeKept(place: string, text: string): Promise<void> {
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
