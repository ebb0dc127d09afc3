import { closeSync, fstatSync, openSync, readdirSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { bootId } from "../../terms/platform/boot-id.ts";
import { fileIdentity } from "../../terms/platform/file-identity.ts";
import { makeDirectory } from "../../terms/platform/make-directory.ts";
import type { Micros } from "../../terms/money/money.ts";
import { headOf, lineOf } from "./usage-lines.ts";
import type { CountedUse, LeaseLog, LeftLog, LoggedRequest, UsageLog } from "./ports.ts";
import { isOriginalFile, readUsage } from "./read-usage.ts";

const ENDING = ".notes";
/** The log is rewritten when it is longer than this, and than twice what was written the last time. */
const BYTES_MAX = 2 * 1024 * 1024;

export interface OpenUsageLog extends UsageLog {
  /** What earlier starts on the same data directory have left, if it can be relied on. */
  leftBehind(): readonly LeftLog[];
  /** The earlier starts whose logs are the files in which they were written, whether or not they can be relied on. */
  inPlace(): readonly string[];
}

/**
 * A log in a file, one line for each lease that has changed. What is written has been handed to the operating system, so
 * it outlives a killed process, but not a power failure: a log from before the machine was started is not used, and then
 * all that was leased counts as used. Nor is a copy of the file, because the process whose file was copied may have gone on.
 * @throws the system's error if the directory cannot be read
 * @param start names this start; later starts have greater names
 */
export function openUsageLog(directory: string, start: string): OpenUsageLog {
  const own = join(directory, start + ENDING);
  const earlier = filesIn(directory);
  const startIn = (name: string): string => name.slice(0, -ENDING.length);
  const placed = earlier.filter((name) => isOriginalFile(join(directory, name))).map(startIn);
  const leases = new Map<string, LoggedLease>();
  /** Those of which something is not in the file yet. */
  const changed: LoggedLease[] = [];
  let descriptor: number | null = null;
  let sequence = 0;
  let bytes = 0;
  let bytesMax = BYTES_MAX;

  const counts: Counts = { leases: 0, onChange: (lease) => void changed.push(lease) };

  function open(): void {
    // Writing all needs no news. If it fails, the next one writes all too, so the news must not pile up meanwhile.
    for (const lease of changed) lease.leaveNews();
    const temporary = `${own}.new`;
    const opened = openSync(temporary, "w", 0o600);
    let text = headOf(bootId());
    try {
      text += `${lineOf({ file: fileIdentity(fstatSync(opened, { bigint: true })) })}${lineOf({ turn: sequence })}`;
      for (const lease of leases.values()) text += lease.whole();
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
    for (const lease of changed.splice(0)) lease.isWritten();
  }

  function write(text: string): void {
    if (descriptor === null || bytes > bytesMax) return open();
    let all = text;
    for (const lease of changed) all += lease.news();
    const before = bytes;
    // If only a part of it was written, the next write starts from the beginning.
    bytes = Number.POSITIVE_INFINITY;
    if (writeSync(descriptor, all) < all.length) throw new Error("the log was written in part");
    bytes = before + all.length;
    for (const lease of changed) lease.isWritten();
    changed.length = 0;
  }

  return {
    leftBehind: () => earlier.flatMap((name) => readUsage(join(directory, name), startIn(name))),

    inPlace: () => placed,

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

    of(lease) {
      const logged = new LoggedLease(lease, counts);
      // A lease has one period at a time, and what is over need not be known.
      leases.set(`${lease.budgetId} ${lease.lease}`, logged);
      return logged;
    },

    keep() {
      if (changed.length > 0) write("");
    },

    keepSequence(number) {
      sequence = number;
      write(lineOf({ turn: sequence }));
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
export const WITHOUT_LOG: UsageLog = {
  recovered: () => {},
  begin: () => {},
  of: () => ({
    begin: (transactionId, request, units) => ({ number: 0, transactionId, request, units }),
    end: () => {},
  }),
  keep: () => {},
  keepSequence: () => {},
  end: () => {},
};

interface Counts {
  leases: number;
  readonly onChange: (lease: LoggedLease) => void;
}

/** A request with its place among those that are under way. */
interface Placed extends LoggedRequest {
  at: number;
}

/** What is logged of one lease. */
class LoggedLease implements LeaseLog {
  readonly #number: number;
  readonly #head: string;
  readonly #counts: Counts;
  #used = 0n;
  /** In no order. Most are the newest ones, so the last one takes the place of one that is over. */
  readonly #open: Placed[] = [];
  #requests = 0;
  /** What the file lacks. */
  #isKnown = false;
  #isChanged = false;
  #begun = "";
  #over = "";
  /** Of the last request in what is not there yet. */
  #transactionId = "";
  #units = 0n;
  /** The last ones in a row that are over; `0`: none. */
  #overFrom = 0;
  #overTo = 0;

  constructor({ budgetId, periodFrom, lease }: Omit<CountedUse, "used">, counts: Counts) {
    this.#number = counts.leases += 1;
    this.#head = lineOf({ lease: this.#number, budget: budgetId, from: periodFrom, name: lease });
    this.#counts = counts;
  }

  begin(transactionId: string, request: string, units: Micros, used: Micros): LoggedRequest {
    const logged = { number: (this.#requests += 1), transactionId, request, units, at: this.#open.length };
    this.#open.push(logged);
    // What follows from the request before it is left out, because for most requests that is nearly all.
    const number = this.#begun === "" ? logged.number : 0;
    const run = transactionId === this.#transactionId ? "" : (this.#transactionId = transactionId);
    const price = units === this.#units ? "" : String((this.#units = units));
    this.#begun += `,${number},"${run}/${request}","${price}"`;
    this.#change(used);
    return logged;
  }

  end(request: Placed | null, used: Micros): void {
    if (request !== null) {
      const last = this.#open.pop()!;
      if (last !== request) [this.#open[request.at], last.at] = [last, request.at];
      if (this.#overFrom === 0 || request.number !== this.#overTo + 1) {
        this.#addOver();
        this.#overFrom = request.number;
      }
      this.#overTo = request.number;
    }
    this.#change(used);
  }

  #addOver(): void {
    if (this.#overFrom === 0) return;
    this.#over += `${this.#over === "" ? "" : ","}${this.#overFrom},${this.#overTo}`;
    [this.#overFrom, this.#overTo] = [0, 0];
  }

  #change(used: Micros): void {
    this.#used = used;
    if (this.#isChanged) return;
    this.#isChanged = true;
    this.#counts.onChange(this);
  }

  /** What is not in the file yet. */
  news(): string {
    this.#addOver();
    return `${this.#isKnown ? "" : this.#head}[${this.#number},"${this.#used}",[${this.#over}]${this.#begun}]\n`;
  }

  /** All that has to be known. */
  whole(): string {
    return `${this.#head}[${this.#number},"${this.#used}",[]${this.#open.map(textOf).join("")}]\n`;
  }

  leaveNews(): void {
    [this.#begun, this.#over, this.#transactionId, this.#units] = ["", "", "", 0n];
    [this.#overFrom, this.#overTo] = [0, 0];
  }

  isWritten(): void {
    [this.#isKnown, this.#isChanged] = [true, false];
    this.leaveNews();
  }
}

/** Ids have no character that JSON would escape. */
function textOf({ number, transactionId, request, units }: LoggedRequest): string {
  return `,${number},"${transactionId}/${request}","${units}"`;
}

/** None as long as nothing was logged. */
function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(ENDING));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
