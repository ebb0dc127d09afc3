import { closeSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { bootId } from "../../terms/platform/boot-id.ts";
import { fileIdentity } from "../../terms/platform/file-identity.ts";
import { amountFromSum } from "../../terms/money/money.ts";
import type { Charged } from "../../terms/fault.ts";
import type { CountedUse, LeftBehind, LeftLog, OpenRequest } from "./ports.ts";

/**
 * A line of the log, one of these:
 * - the file in which the log was written;
 * - the number of the last ask;
 * - a lease, to which later lines refer by its number;
 * - the current use of a lease. `over`: ended requests, as the first and the last number of each unbroken series.
 *   `begun`: requests in progress, with number, id and units of each. Values are abbreviated relative to the previous
 *   request: 0 is the next number, an id without a transaction has the same one, and missing units are the same.
 */
type Line =
  | { readonly file: string }
  | { readonly turn: number }
  | { readonly lease: number; readonly budget: string; readonly from: number; readonly name: string }
  | readonly [lease: number, used: string, over: readonly number[], ...begun: (number | string)[]];

export function lineOf(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** Version of the format. Increase it with every change: lines of another version are not read. */
const FORM = 2;

export function headOf(boot: string): string {
  return `boot ${boot}, notes of leases, form ${FORM}\n`;
}

/** Returns nothing if the file is unreadable: all leased units then count as used. */
export function readUsage(path: string, start: string): LeftLog[] {
  try {
    const opened = openSync(path, "r");
    try {
      return parseUsage(readFileSync(opened, "utf8"), fileIdentity(fstatSync(opened, { bigint: true })), start);
    } finally {
      closeSync(opened);
    }
  } catch {
    return [];
  }
}

/** Whether the log was written in this file, in any format and before any boot of the machine. */
export function isOriginalFile(path: string): boolean {
  try {
    const file = fileIdentity(statSync(path, { bigint: true }));
    return readFileSync(path, "utf8").includes(`\n${lineOf({ file })}`);
  } catch {
    return false;
  }
}

function parseUsage(text: string, file: string, start: string): LeftLog[] {
  const boot = bootId();
  // Without a boot id, no log is reliable.
  if (boot === "" || !text.startsWith(headOf(boot))) return [];
  const read: ReadUsage = { file: null, sequence: null, uses: new Map() };
  // Text after the last line end was not written completely.
  const lines = text.slice(headOf(boot).length, text.lastIndexOf("\n") + 1).split("\n");
  for (const line of lines) if (line !== "") readLine(read, JSON.parse(line) as Line);
  if (read.file !== file || read.sequence === null) return [];
  // If a lease was logged for several periods, the later period has the later number.
  const inOrder = [...read.uses].sort(([one], [other]) => one - other);
  const last = new Map(inOrder.map(([, use]) => [`${use.budgetId} ${use.lease}`, use]));
  const counts = [...last.values()].map(({ open, ...use }) => ({ ...use, open: [...open.values()] }));
  return [{ start, sequence: read.sequence, counts }];
}

interface ReadUsage {
  file: string | null;
  sequence: number | null;
  readonly uses: Map<number, ReadUse>;
}

interface ReadUse extends CountedUse {
  readonly open: Map<number, OpenRequest>;
}

function readLine(read: ReadUsage, line: Line): void {
  if (!("length" in line)) {
    if ("file" in line) read.file = line.file;
    else if ("turn" in line) read.sequence = line.turn;
    else
      read.uses.set(line.lease, {
        budgetId: line.budget,
        periodFrom: line.from,
        lease: line.name,
        used: 0n,
        open: new Map(),
      });
    return;
  }
  const [lease, used, over, ...begun] = line;
  const use = read.uses.get(lease)!;
  let [number, transactionId, units] = [0, "", ""];
  for (let at = 0; at < begun.length; at += 3) {
    const [said, id, price] = begun.slice(at, at + 3) as [number, string, string];
    const slash = id.indexOf("/");
    number = said === 0 ? number + 1 : said;
    if (slash > 0) transactionId = id.slice(0, slash);
    if (price !== "") units = price;
    use.open.set(number, { id: transactionId + id.slice(slash), units: amountFromSum(units) });
  }
  // A request that began and ended between two writes is in both lists.
  for (let at = 0; at < over.length; at += 2) {
    for (let ended = over[at]!; ended <= over[at + 1]!; ended += 1) use.open.delete(ended);
  }
  read.uses.set(lease, { ...use, used: amountFromSum(used) });
}

/**
 * The use of killed processes, after the journal has shown the results of their open requests: a request without a
 * charge used nothing. Requests that are not in the journal keep their reservation.
 * @param chargeOf the charge of a request by the journal; `null` if unknown
 */
export async function settleLeft(
  left: readonly LeftLog[],
  chargeOf: (id: string) => Promise<Charged | null>,
): Promise<readonly LeftBehind[]> {
  return Promise.all(
    left.map(async ({ start, sequence, counts }) => ({
      start,
      sequence,
      counts: await Promise.all(
        counts.map(async ({ open, used, ...use }) => {
          const free = await Promise.all(
            open.map(async ({ id, units }) => ((await chargeOf(id)) === "no" ? units : 0n)),
          );
          return { ...use, used: free.reduce((left, units) => left - units, used) };
        }),
      ),
    })),
  );
}
