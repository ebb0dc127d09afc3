import type { TimeSpan } from "../../terms/time/calendar.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { isDamage } from "../journal/journal-damage.ts";
import type { LedgerTables } from "../ports.ts";
import type { Tally } from "./verified.ts";
import { FIGURE_NAMES, groupsOf, type SqlStatement, type SumQuery, TOTAL_KEYS } from "../totals/group-requests.ts";
import { HISTORY, type HistorySpan, isEqualToRows, readHistorySpans } from "../history/make-history.ts";
import { EVER, readSpans, TOTALS } from "../totals/make-totals.ts";
import type { SpanTables } from "../totals/store-span.ts";
import { isDay, type SpanWithTotals, withoutTotals } from "../totals/spans.ts";

const ALL_TOTALS: SumQuery = { keys: TOTAL_KEYS, sent: EVER };

/** Compares all stored totals with their requests, and deletes totals that differ. */
export async function verifyTotals(tables: LedgerTables, tally: Tally, onProgress: OnProgress): Promise<void> {
  const unlessDamaged = (about: string) => (error: unknown) => {
    if (!isDamage(error)) throw error;
    tally.structure(`${about} cannot be read: ${(error as Error).message}`);
    return null;
  };
  const spans = (await readSpans(tables, EVER).catch(unlessDamaged("the spans of totals"))) ?? [];
  for (const [at, span] of spans.entries()) {
    const isRight = await isEqual(tables, span).catch(unlessDamaged(`the totals of ${textOf(span)}`));
    if (isRight === false)
      tally.structure(`the totals of ${textOf(span)} are not those of its requests; ${await drop(tables, span)}`);
    onProgress("totals checked", at + 1, spans.length);
  }
  const ofHistory = (await readHistorySpans(tables, EVER).catch(unlessDamaged("the spans of the history"))) ?? [];
  for (const [at, span] of ofHistory.entries()) {
    const isRight = await isEqualToRows(tables, span).catch(unlessDamaged(`the history of ${textOf(span)}`));
    if (isRight === false && (await exists(tables, span)))
      tally.structure(`the history of ${textOf(span)} is not that of its calls; ${await drop(tables, span, HISTORY)}`);
    onProgress("parts of the history checked", at + 1, ofHistory.length);
  }
}

/** A span whose runs have changed meanwhile no longer exists. */
async function exists({ query }: LedgerTables, { id }: HistorySpan): Promise<boolean> {
  return (await query("SELECT t.id FROM ledger_history_spans AS t WHERE t.id = ? AND t.kept = 1", [id])).length > 0;
}

/** One statement, for a snapshot. A span that was deleted meanwhile counts as equal. */
async function isEqual(tables: LedgerTables, span: SpanWithTotals): Promise<boolean> {
  const rows = groupsOf(tables, ALL_TOTALS, withoutTotals(span));
  const totals = groupsOf(tables, ALL_TOTALS, { spans: [span], passed: [], uncovered: [] });
  // Subtracts one set of groups from the other; equal groups cancel out.
  const side = ({ sql }: SqlStatement, sign: 1 | -1): string => {
    const signed = FIGURE_NAMES.map((name) => `${sign} * CAST(g.${name} AS decimal) AS ${name}`).join(", ");
    const times = ["sent_first", "sent_last"].map((name) => `${sign} * g.${name} AS ${name}`).join(", ");
    return `SELECT ${TOTAL_KEYS.map((key) => `g.${key}`).join(", ")}, ${signed}, ${times} FROM (${sql}) AS g`;
  };
  const differs = [...FIGURE_NAMES, "sent_first", "sent_last"].map((name) => `sum(b.${name}) <> 0`).join(" OR ");
  const [found] = await tables.query<{ readonly there: number; readonly groups: number; readonly times: number }>(
    `SELECT (SELECT count(*) FROM ledger_total_spans AS t WHERE t.id = ? AND t.kept = 1) AS there,
       (SELECT count(*) FROM (
          SELECT 1 AS one FROM (${side(rows, 1)} UNION ALL ${side(totals, -1)}) AS b
          GROUP BY ${TOTAL_KEYS.map((key) => `b.${key}`).join(", ")} HAVING ${differs}) AS d) AS groups,
       (SELECT count(*) FROM ledger_total_spans AS t WHERE t.id = ?
          AND (t.sent_first IS DISTINCT FROM (SELECT min(x.sent_first) FROM ledger_totals AS x WHERE x.span = ?)
            OR t.sent_last IS DISTINCT FROM (SELECT max(x.sent_last) FROM ledger_totals AS x WHERE x.span = ?))) AS times`,
    [span.id, ...rows.values, ...totals.values, span.id, span.id, span.id],
  );
  return found!.there === 0 || (found!.groups === 0 && found!.times === 0);
}

function drop(tables: LedgerTables, { id }: { readonly id: number }, { spans }: SpanTables = TOTALS): Promise<string> {
  return tables
    .changeUnsynced((query) => query(`DELETE FROM ${spans} WHERE id = ?`, [id]))
    .then(
      () => "they are deleted, and made again when somebody asks",
      () => "they could not be deleted, and sums of that time are wrong",
    );
}

function textOf({ from, to }: TimeSpan): string {
  const [begins, ends] = [from, to].map((at) => new Date(at).toISOString()) as [string, string];
  return isDay({ from, to }) ? begins.slice(0, 10) : `${begins.slice(0, 16)} to ${ends.slice(11, 16)}`;
}
