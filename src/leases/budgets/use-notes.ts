import { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../../terms/make-directory.ts";
import { amountFromSum, type Micros } from "../../terms/money.ts";
import type { CountedUse, LeftNotes, UseNotes } from "./ports.ts";

const ENDING = ".notes";
const BOOT_ID = "/proc/sys/kernel/random/boot_id";
/** The notes are written anew when they are longer than this, and than twice what was written the last time. */
const BYTES_MAX = 256 * 1024;

export interface OpenUseNotes extends UseNotes {
  /** What earlier starts on the same data directory have left, if it can be relied on. */
  leftBehind(): readonly LeftNotes[];
}

/** One line of the file. The last line of a lease says what it uses. */
type Line = readonly [
  budgetId: string,
  periodFrom: number,
  lease: string,
  used: string,
  request: string,
  units: string | null,
];

/**
 * Notes in a file, one line for each change. What is written has been handed to the operating system, so it outlives a
 * killed process, but not a power failure: notes from before the machine was started are not used, and then all that was
 * leased counts as used.
 * @throws the system's error if the directory cannot be read
 * @param start names this start; later starts have greater names
 */
export function openUseNotes(directory: string, start: string): OpenUseNotes {
  const own = join(directory, start + ENDING);
  const earlier = filesIn(directory);
  const known = new NotedUses();
  let descriptor: number | null = null;
  let bytes = 0;
  let bytesMax = BYTES_MAX;

  function open(): void {
    const text = headOf(bootId()) + known.lines().map(textOf).join("");
    const temporary = `${own}.new`;
    const opened = openSync(temporary, "w", 0o600);
    try {
      writeFileSync(opened, text);
      renameSync(temporary, own);
    } catch (error) {
      closeSync(opened);
      throw error;
    }
    if (descriptor !== null) closeSync(descriptor);
    bytes = text.length;
    bytesMax = Math.max(BYTES_MAX, 2 * bytes);
    descriptor = opened;
  }

  return {
    leftBehind: () => earlier.flatMap((name) => readNotes(join(directory, name), name.slice(0, -ENDING.length))),

    recovered() {
      for (const name of earlier.splice(0)) {
        rmSync(join(directory, name), { force: true });
        rmSync(join(directory, `${name}.new`), { force: true });
      }
    },

    begin() {
      if (descriptor !== null) return;
      makeDirectory(directory);
      open();
    },

    note({ budgetId, periodFrom, lease, used }, id, units) {
      const line: Line = [budgetId, periodFrom, lease, String(used), id, units === null ? null : String(units)];
      known.add(line);
      if (descriptor === null || bytes > bytesMax) return open();
      const text = textOf(line);
      if (writeSync(descriptor, text) < text.length) throw new Error("a note was written in part");
      bytes += text.length;
    },

    end() {
      if (descriptor === null) return;
      closeSync(descriptor);
      descriptor = null;
      rmSync(own, { force: true });
    },
  };
}

/** For a process whose use nobody can recover. */
export const WITHOUT_NOTES: UseNotes = { recovered: () => {}, begin: () => {}, note: () => {}, end: () => {} };

/** What the lines say together. */
class NotedUses {
  readonly #uses = new Map<string, { readonly use: CountedUse; readonly open: Map<string, Micros> }>();

  add([budgetId, periodFrom, lease, used, request, units]: Line): void {
    const key = `${budgetId} ${lease}`;
    const before = this.#uses.get(key);
    // A lease has one period at a time, and what is over need not be known.
    const open = before?.use.periodFrom === periodFrom ? before.open : new Map<string, Micros>();
    if (units === null) open.delete(request);
    else open.set(request, amountFromSum(units));
    this.#uses.set(key, { use: { budgetId, periodFrom, lease, used: amountFromSum(used) }, open });
  }

  lines(): Line[] {
    return this.all().flatMap(({ budgetId, periodFrom, lease, used, open }) => {
      const line = (id: string, units: string | null): Line => [budgetId, periodFrom, lease, String(used), id, units];
      return [line("", null), ...open.map(({ id, units }) => line(id, String(units)))];
    });
  }

  all() {
    return [...this.#uses.values()].map(({ use, open }) => {
      return { ...use, open: [...open].map(([id, units]) => ({ id, units })) };
    });
  }
}

/** None as long as nothing was noted. */
function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(ENDING));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function textOf(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

function headOf(boot: string): string {
  return `boot ${boot}\n`;
}

/** Empty if the system has none: then no notes can be relied on. */
function bootId(): string {
  try {
    return readFileSync(BOOT_ID, "utf8").trim();
  } catch {
    return "";
  }
}

/** Nothing if they cannot be read: then all that was leased counts as used. */
function readNotes(file: string, start: string): LeftNotes[] {
  try {
    return parseNotes(readFileSync(file, "utf8"), start);
  } catch {
    return [];
  }
}

function parseNotes(text: string, start: string): LeftNotes[] {
  const boot = bootId();
  if (boot === "" || !text.startsWith(headOf(boot))) return [];
  const uses = new NotedUses();
  // What stands after the last line end was not written to its end.
  const lines = text.slice(headOf(boot).length, text.lastIndexOf("\n") + 1).split("\n");
  for (const line of lines) if (line !== "") uses.add(JSON.parse(line) as Line);
  return [{ start, counts: uses.all() }];
}
