import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandIo } from "../command-io.ts";
import type { ShownId } from "./shown-ids.ts";

const PLACES_MAX = 16;
const OF_A_KIND_MAX = 200;
const UNUSED_MS = 90 * 24 * 3_600_000;

/** The folder of the cache, whose files only their owner can read; `null` if this user has none. */
export function cacheFolder(env: CommandIo["env"]): string | null {
  const [home = "", given = ""] = [env["HOME"], env["XDG_CACHE_HOME"]];
  // With `sudo` the home may be another user's, who could not change what root leaves there.
  if (statSync(home, { throwIfNoEntry: false })?.uid !== process.getuid?.()) return null;
  return join(given.startsWith("/") ? given : join(home, ".cache"), "datarun", "ids");
}

/**
 * Changes what is kept of the ids at a place: a file with the place on its first line, then a line for each id, newest
 * first. The scripts for shells read it. @throws if it cannot be written
 */
export function changeCache(folder: string, place: string, change: (known: readonly ShownId[]) => readonly ShownId[]) {
  const name = createHash("sha256").update(place).digest("hex").slice(0, 16);
  const file = join(folder, name);
  const lines = bounded(change(readCache(file))).map(({ kind, id, says }) => `${kind}\t${id}\t${says}\n`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Shells pass over what begins with a dot.
  const written = join(folder, `.${name}.${process.pid}`);
  writeFileSync(written, `${place}\n${lines.join("")}`, { mode: 0o600 });
  renameSync(written, file);
  prune(folder);
}

function readCache(file: string): readonly ShownId[] {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
  const [, ...lines] = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line) => {
    const [kind, id, says] = line.split("\t");
    return says === undefined ? [] : [{ kind: kind!, id: id!, says }];
  });
}

/** One line for each id, under its newest name, and not too many of a kind. */
function bounded(ids: readonly ShownId[]): readonly ShownId[] {
  const byId = new Map<string, ShownId>();
  for (const each of ids) if ((byId.get(each.id)?.says ?? "") === "") byId.set(each.id, each);
  return [...Map.groupBy(byId.values(), ({ kind }) => kind).values()].flatMap((some) => some.slice(0, OF_A_KIND_MAX));
}

/** Removes what has not been used for long, and the oldest of too many. */
function prune(folder: string): void {
  const files = readdirSync(folder).map((name) => ({ name, usedAt: statSync(join(folder, name)).mtimeMs }));
  files.sort((one, other) => other.usedAt - one.usedAt);
  for (const [at, { name, usedAt }] of files.entries())
    if (at >= PLACES_MAX || usedAt < Date.now() - UNUSED_MS) rmSync(join(folder, name), { force: true });
}
