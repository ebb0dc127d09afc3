import { existsSync, readFileSync, writeFileSync } from "node:fs";

const FILE = new URL("durations.json", import.meta.url);
/** Of files that are new, and of those that take less. */
const LEAST_SECONDS = 0.5;

/** What each file usually takes on an idle machine, in seconds. */
export function readDurations() {
  const durations = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : {};
  return (file) => durations[file] ?? LEAST_SECONDS;
}

/** Keeps what the files of this run took, on the store that took longest. Files that were not run keep what they had. */
export function writeDurations(costs, isThere) {
  const durations = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : {};
  for (const file of new Set(costs.map((cost) => cost.file))) {
    const seconds = Math.max(...costs.filter((cost) => cost.file === file).map((cost) => cost.seconds));
    durations[file] = Math.round(seconds * 2) / 2;
  }
  const kept = Object.entries(durations).filter(([file, seconds]) => seconds > LEAST_SECONDS && isThere(file));
  writeFileSync(
    FILE,
    `${JSON.stringify(Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`,
  );
}
