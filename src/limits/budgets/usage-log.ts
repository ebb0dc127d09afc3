import { closeSync, fstatSync, openSync, readdirSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { bootId } from "../../terms/platform/boot-id.ts";
import { fileIdentity } from "../../terms/platform/file-identity.ts";
import { makeDirectory } from "../../terms/platform/make-directory.ts";
import type { Micros } from "../../terms/money/money.ts";
import { headOf, lineOf, isOriginalFile, readUsage } from "./read-usage.ts";
import type { CountedUse, LeaseLog, LeftLog, LoggedRequest, UsageLog } from "./ports.ts";

const ENDING = ".notes";
/** The log is rewritten when it exceeds both this and twice its size after the last rewrite. */
const BYTES_MAX = 2 * 1024 * 1024;

export interface OpenUsageLog extends UsageLog {
  /** The use of earlier starts on the same data directory, if their logs are reliable. */
  leftBehind(): readonly LeftLog[];
  /** The earlier starts with logs in their original files, reliable or not. */
  inPlace(): readonly string[];
}

/**
 * A log in a file, one line for each changed lease. Written entries are in the operating system, so they survive a kill
 * of the process, but not a power failure. So a log from before the machine's boot is not used, and all leased units
 * count as used. A copy of the file is not used either, because the process of the original may have continued.
 * @throws the system's error if the directory cannot be read
 * @param start names this start; later starts have greater names
 */
export function openUsageLog(directory: string, start: string): OpenUsageLog {
  const own = join(directory, start + ENDING);
  const earlier = filesIn(directory);
  const startIn = (name: string): string => name.slice(0, -ENDING.length);
  const placed = earlier.filter((name) => isOriginalFile(join(directory, name))).map(startIn);
  const leases = new Map<string, LoggedLease>();
  /** Leases with entries that are not in the file yet. */
  const changed: LoggedLease[] = [];
  let descriptor: number | null = null;
  let sequence = 0;
  let bytes = 0;
  let bytesMax = BYTES_MAX;

  const counts: Counts = { leases: 0, onChange: (lease) => void changed.push(lease) };

  function open(): void {
    // A full write includes all changes. If it fails, the next write is full too, so unwritten changes must not pile up
    // meanwhile.
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
    // If only a part was written, the next write starts from the beginning.
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
      // A lease has one period at a time, and entries of past periods are not needed.
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

/** For a process with unrecoverable use. */
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

/** A request with its position among the open requests. */
interface Placed extends LoggedRequest {
  at: number;
}

/** The log of one lease. */
class LoggedLease implements LeaseLog {
  readonly #number: number;
  readonly #head: string;
  readonly #counts: Counts;
  #used = 0n;
  /** In no order. Most ended requests are recent, so the last element replaces a removed one. */
  readonly #open: Placed[] = [];
  #requests = 0;
  /** Whether the file has the lease. */
  #isKnown = false;
  #isChanged = false;
  #begun = "";
  #over = "";
  /** The transaction of the last request in the unwritten changes. */
  #transactionId = "";
  #units = 0n;
  /** The first of a series of ended requests; `0`: none. */
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
    // Values that follow from the previous request are left out. For most requests that is nearly everything.
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

  /** The changes that are not in the file yet. */
  news(): string {
    this.#addOver();
    return `${this.#isKnown ? "" : this.#head}[${this.#number},"${this.#used}",[${this.#over}]${this.#begun}]\n`;
  }

  /** The complete state. */
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

/** The list is empty if nothing was ever logged. */
function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(ENDING));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
