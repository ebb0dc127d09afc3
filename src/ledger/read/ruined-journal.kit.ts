/** Used by tests of what can be read beside pages of the journal that cannot. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { JOURNAL_FILE } from "../journal/journal-database.ts";
import { atEnd, makeAttempt, makeCall, makeReport, makeRun, query, runOnce, startLedger } from "../ledger.kit.ts";
import { openJournalReader } from "./journal-reader.ts";
import type { LedgerFilter } from "./ledger-filter.ts";

const START = Date.UTC(2026, 2, 1);
export const RUNS = 240;

/** The first and the second run, the third and the fourth, and so on, begin in the same millisecond. */
export const startOf = (at: number): number => START + Math.floor(at / 2) * 60_000;

export interface MadeRun {
  readonly id: string;
  readonly source: string;
  readonly organizationId: string;
}

/** Every third run is of another organization, and every fourth asks another source. */
export async function makeLedger(t: TestContext, { unknownEvery = Infinity } = {}) {
  const { ledger, directory } = await startLedger(t);
  const runs = await Promise.all(
    Array.from({ length: RUNS }, async (_, at): Promise<MadeRun> => {
      const run = makeRun({ startedWallAt: startOf(at), organizationId: at % 3 === 0 ? "org_b" : "org_a" });
      const source = at % 4 === 0 ? "bell__phone" : "acme__people";
      const charged = at % unknownEvery === 1 ? "unknown" : "yes";
      const call = makeCall({ source, charged, attempts: [makeAttempt({ charged })] });
      await runOnce(ledger, run, makeReport(run, { calls: [call] }));
      return { id: run.transactionId, source, organizationId: run.organizationId };
    }),
  );
  await ledger.close();
  return { directory, runs };
}

/** The numbers of the pages at the end of a table's or an index's tree, first to last. */
function leavesOf(directory: string, name: string): number[] {
  const bytes = readFileSync(join(directory, JOURNAL_FILE));
  const [schema] = query(directory, "SELECT rootpage FROM sqlite_schema WHERE name = ?", name);
  const leaves = (page: number): number[] => {
    const at = (page - 1) * 4_096;
    if (bytes[at] !== 2 && bytes[at] !== 5) return [page];
    const cells = bytes.readUInt16BE(at + 3);
    const children = Array.from({ length: cells }, (_, cell) =>
      bytes.readUInt32BE(at + bytes.readUInt16BE(at + 12 + 2 * cell)),
    );
    return [...children, bytes.readUInt32BE(at + 8)].flatMap(leaves);
  };
  return leaves(Number(schema?.["rootpage"]));
}

/** Overwrites one of them, so that it is malformed. */
export function ruin(directory: string, name: string, which: number): void {
  const path = join(directory, JOURNAL_FILE);
  const bytes = readFileSync(path);
  const pages = leavesOf(directory, name);
  bytes[(pages.at(which)! - 1) * 4_096] = 0;
  writeFileSync(path, bytes);
}

/** Those whose own rows can all be read, each alone. */
export async function readable(t: TestContext, directory: string, ids: readonly string[]): Promise<Set<string>> {
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  const can = await Promise.all(
    ids.map((id) =>
      reader.show(id).then(
        (run) => run?.damaged === false,
        () => false,
      ),
    ),
  );
  return new Set(ids.filter((_, at) => can[at]));
}

export const FILTERS: readonly LedgerFilter[] = [
  {},
  { source: "bell__phone" },
  { organizationId: "org_b" },
  { organizationId: "org_b", source: "bell__phone" },
  { outcome: "match" },
  { from: startOf(50), to: startOf(200) },
];

/** Whether one of these filters selects the run with that number. */
export function isSelected({ source, organizationId }: MadeRun, at: number, filter: LedgerFilter): boolean {
  const { from = -Infinity, to = Infinity } = filter;
  return (
    (filter.source ?? source) === source &&
    (filter.organizationId ?? organizationId) === organizationId &&
    startOf(at) >= from &&
    startOf(at) < to
  );
}
