import { unlessDamaged } from "../totals/sum-requests.ts";
import { chooseSpans, PARTS_MAX } from "../totals/spans.ts";
import { dayContaining, daysIn, type TimeSpan } from "../../terms/time/calendar.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../terms/time/durations.ts";
import type { LedgerTables } from "../ports.ts";
import { toStored } from "../stored-text.ts";
import { addFigures, addText, type Figures, noFigures, countOf } from "./figures.ts";
import { addRow, conditionOf, groupedRows, type GroupedRow, type KeyCondition } from "./group-ends.ts";
import { type HistorySpan, makeHistory, readHistorySpans } from "./make-history.ts";
import { type Grouping, groupingWith, type HistoryKey, type HistoryUnit, KEYS } from "./groupings.ts";

/** The possible groups of a history. A vendor is the part of a source's id before `__`. */
export const HISTORY_BY = [
  "all",
  "source",
  "vendor",
  "org",
  "workflow",
  "credential",
  "token",
  "function",
  "version",
] as const;
export const HISTORY_STEPS = ["minute", "hour", "day"] as const;
export type HistoryStep = (typeof HISTORY_STEPS)[number];

/** Selects calls, or runs: of functions, of versions of a function, or of tokens. */
export interface HistoryFilter {
  /** `version`: of `source` or, without it, of `functionId`. */
  readonly by: (typeof HISTORY_BY)[number];
  readonly step: HistoryStep;
  /** Runs that started from `from` and before `to` (Unix ms): the beginning and the end of a step. */
  readonly from: number;
  readonly to: number;
  /** Time zone of days. */
  readonly timeZone: string;
  readonly source?: string;
  readonly vendor?: string;
  readonly organizationId?: string;
  readonly workflowId?: string;
  readonly credentialId?: string;
  readonly tokenId?: string;
  readonly functionId?: string;
  readonly sourceVersion?: string;
  readonly functionVersion?: string;
  /** Maximum number of groups, those with the most calls. */
  readonly groupsMax: number;
  /** Makes no totals, and leaves out times that have none, so that the answer never takes long. */
  readonly onlyTotals?: true;
}

export interface HistoryPoint {
  /** The start of its step. */
  readonly at: number;
  readonly figures: Figures;
}

export interface HistoryGroup {
  /** An id, a vendor, or a digest; `""` for none. */
  readonly key: string;
  /** In order. Steps without calls are left out. */
  readonly points: readonly HistoryPoint[];
  readonly total: Figures;
}

export interface History {
  /** The time from which the ledger has all runs; `null` without runs. Earlier figures are unknown, not zero. */
  readonly completeFrom: number | null;
  /** Those with the most calls first. */
  readonly groups: readonly HistoryGroup[];
  /** Number of groups that are left out. */
  readonly moreGroups: number;
}

type Selection = Omit<HistoryFilter, "step" | "from" | "to" | "timeZone" | "groupsMax" | "onlyTotals">;

/** What a query counts, and by which keys. */
interface Asked {
  readonly unit: HistoryUnit;
  readonly key: HistoryKey | null;
  readonly only: readonly KeyCondition[];
}

const COUNTS_RUNS: ReadonlySet<string> = new Set(["function", "token"]);

export function unitOf({ by, source }: Pick<HistoryFilter, "by" | "source">): HistoryUnit {
  return COUNTS_RUNS.has(by) || (by === "version" && source === undefined) ? "run" : "call";
}

/** Whether a history can be narrowed like this, and how: `rows` is not summed up, and has to be of a short time. */
export function canBeSummed(selection: Selection): "totals" | "rows" | "never" {
  const asked = askedOf(selection);
  const possible: readonly HistoryKey[] = KEYS[asked.unit];
  if (!keysOf(asked).every((key) => possible.includes(key))) return "never";
  return groupingOf(asked) === null ? "rows" : "totals";
}

function keysOf({ key, only }: Asked): readonly HistoryKey[] {
  return [...only.map((one) => one.key), ...(key === null ? [] : [key])];
}

function groupingOf(asked: Asked): Grouping | null {
  return groupingWith(asked.unit, keysOf(asked));
}

function askedOf(filter: Selection): Asked {
  const unit = unitOf(filter);
  const texts: readonly (readonly [HistoryKey, string | undefined])[] = [
    ["source_key", filter.source],
    ["organization_key", filter.organizationId],
    ["workflow_key", filter.workflowId],
    ["credential_key", filter.credentialId],
    ["token_key", filter.tokenId],
    ["function_key", filter.functionId],
    ["source_version_key", filter.sourceVersion],
    ["function_version_key", filter.functionVersion],
  ];
  const only = texts.flatMap(([key, text]) => (text === undefined ? [] : [{ key, text: toStored(text) }]));
  const ofVendor = { key: "source_key" as const, text: `${toStored(filter.vendor ?? "")}${BETWEEN}`, isPrefix: true };
  const keys = {
    all: null,
    source: "source_key",
    vendor: "source_key",
    org: "organization_key",
    workflow: "workflow_key",
    credential: "credential_key",
    token: "token_key",
    function: "function_key",
    version: unit === "call" ? "source_version_key" : "function_version_key",
  } as const;
  return { unit, key: keys[filter.by], only: filter.vendor === undefined ? only : [...only, ofVendor] };
}

/** Between the vendor and the name in a source's id. */
const BETWEEN = "__";

/** All offsets of time zones since 1972 are multiples of it. */
const QUARTER_MS = 15 * MINUTE_MS;
/** The units of time in which calls and runs are grouped before they are added to steps. */
export const UNIT_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: QUARTER_MS } as const;

/** Attempts to read totals while other processes delete them. */
const TRIES = 5;

/** Reads totals, which are made first where they are missing, and calls where totals are impossible. */
export async function sumHistory(
  tables: LedgerTables,
  filter: HistoryFilter,
  onProgress?: OnProgress,
): Promise<History> {
  const { onlyTotals } = filter;
  const asked = askedOf(filter);
  const grouping = groupingOf(asked);
  const fromTotals = async (): Promise<Rows | null> => {
    if (filter.step === "minute" || grouping === null) return null;
    const longestMs = isOfWholeDays(filter) ? DAY_MS : HOUR_MS;
    // If totals cannot be made, existing ones and calls still give the figures.
    if (onlyTotals !== true) await makeHistory(tables, filter, { longestMs, onProgress }).catch(() => {});
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { spans, uncovered: rest } = await coverOf(tables, filter);
      const uncovered = onlyTotals === true ? [] : rest;
      const stored = spans.length === 0 ? [] : await readStored(tables, asked, grouping, spans);
      const grouped = await readGrouped(tables, asked, UNIT_MS[filter.step], { spans, uncovered });
      if (grouped !== null) return { stored, grouped };
    }
    return null;
  };
  // If the totals are damaged, the calls may be sound.
  const read = await fromTotals().catch(unlessDamaged);
  const rows = read ?? {
    stored: [],
    grouped: (await readGrouped(tables, asked, UNIT_MS[filter.step], { spans: [], uncovered: [filter] }))!,
  };
  return toHistory(rows, filter, asked.unit, await completeFrom(tables));
}

interface StoredRow {
  readonly key: string | null;
  /** The start of the span. */
  readonly at: number;
  readonly figures: string;
}

type KeyedRow = GroupedRow & { readonly key: string | null };

interface Rows {
  readonly stored: readonly StoredRow[];
  readonly grouped: readonly KeyedRow[];
}

interface Cover {
  readonly spans: readonly HistorySpan[];
  readonly uncovered: readonly TimeSpan[];
}

/** The totals of spans, if these exist until `readGrouped` has checked them. */
function readStored(
  tables: LedgerTables,
  { key, only }: Asked,
  grouping: Grouping,
  spans: readonly HistorySpan[],
): Promise<readonly StoredRow[]> {
  return tables.query<StoredRow>(
    `SELECT ${textOf(tables, key, "x")} AS key, t.from_at AS at, x.figures
     FROM ledger_history_spans AS t JOIN ledger_history AS x ON x.span = t.id AND x.grouping_number = ${grouping.number}
     WHERE t.id IN (${marksOf(spans)})${only.map((one) => ` AND ${conditionOf(tables, one)}`).join("")}`,
    [...spans.map(({ id }) => id), ...only.map(({ text }) => text)],
  );
}

/**
 * Groups the rest of the time by one statement, which also checks that the spans still exist: then their totals and
 * these groups are those of one moment. `null` if one of them has been deleted.
 */
async function readGrouped(
  tables: LedgerTables,
  { unit, key, only }: Asked,
  unitMs: number,
  { spans, uncovered }: Cover,
): Promise<readonly KeyedRow[] | null> {
  const query = { unit, keys: key === null ? [] : [key], only, unitMs };
  const parts = (uncovered.length === 0 ? [NO_TIME] : uncovered).flatMap((part) => groupedRows(tables, query, part));
  const there =
    spans.length === 0
      ? "SELECT 0 AS spans"
      : `SELECT count(*) AS spans FROM ledger_history_spans AS t WHERE t.kept = 1 AND t.id IN (${marksOf(spans)})`;
  const rows = await tables.query<KeyedRow & { readonly spans_there: number; readonly at: number | null }>(
    `SELECT n.spans AS spans_there, s.*, ${textOf(tables, key, "s")} AS key FROM (${there}) AS n
     LEFT JOIN (${parts.map(({ sql }) => sql).join(" UNION ALL ")}) AS s ON 1 = 1`,
    [...spans.map(({ id }) => id), ...parts.flatMap(({ values }) => values)],
  );
  if (rows[0]!.spans_there !== spans.length) return null;
  return rows.filter(({ at }) => at !== null);
}

const NO_TIME: TimeSpan = { from: 0, to: 0 };

function marksOf(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}

function textOf(tables: LedgerTables, key: HistoryKey | null, alias: string): string {
  if (key === null) return "''";
  return key === "function_key" ? `${alias}.${key}` : tables.textOf(`${alias}.${key}`);
}

/** Totals of spans that each lie in one step, and the rest of the time. */
async function coverOf(tables: LedgerTables, filter: HistoryFilter): Promise<Cover> {
  const stepOf = stepsOf(filter);
  const existing = await readHistorySpans(tables, filter);
  const longestMs = isOfWholeDays(filter) ? DAY_MS : HOUR_MS;
  const fitting = existing.filter(({ from, to }) => to - from <= longestMs && stepOf(from) === stepOf(to - 1));
  const cover = chooseSpans(fitting, filter);
  return cover.uncovered.length > PARTS_MAX ? { spans: [], uncovered: [filter] } : cover;
}

function isOfWholeDays({ step, timeZone }: HistoryFilter): boolean {
  return step === "day" && timeZone === "UTC";
}

function toHistory({ stored, grouped }: Rows, filter: HistoryFilter, unit: HistoryUnit, from: number | null): History {
  const stepOf = stepsOf(filter);
  const groups = new Map<string, Map<number, Figures>>();
  const figuresAt = (key: string | null, at: number): Figures => {
    const group = filter.by === "vendor" ? (key ?? "").split(BETWEEN)[0]! : (key ?? "");
    const points = entryOf(groups, group, () => new Map<number, Figures>());
    return entryOf(points, stepOf(at), noFigures);
  };
  for (const { key, at, figures } of stored) addText(figuresAt(key, at), figures);
  for (const row of grouped) addRow(figuresAt(row.key, row.at), unit, row);
  const found = [...groups].map(([group, points]) => toGroup(group, points));
  const sorted = found.toSorted(
    (one, other) => countOf(other.total) - countOf(one.total) || (one.key < other.key ? -1 : 1),
  );
  return {
    completeFrom: from,
    groups: sorted.slice(0, filter.groupsMax),
    moreGroups: Math.max(0, sorted.length - filter.groupsMax),
  };
}

function toGroup(key: string, points: ReadonlyMap<number, Figures>): HistoryGroup {
  const total = noFigures();
  for (const figures of points.values()) addFigures(total, figures);
  const inOrder = [...points].toSorted(([one], [other]) => one - other);
  return { key, total, points: inOrder.map(([at, figures]) => ({ at, figures })) };
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  map.set(key, created);
  return created;
}

/** The step that contains a moment, by its start. */
export function stepsOf({
  step,
  from,
  to,
  timeZone,
}: Pick<HistoryFilter, "step" | "from" | "to" | "timeZone">): (at: number) => number {
  if (step !== "day") return (at) => at - (at % UNIT_MS[step]);
  if (timeZone === "UTC") return (at) => at - (at % DAY_MS);
  const starts = [...daysIn({ from, to }, timeZone)].map((day) => day.from);
  let last = 0;
  return (at) => {
    // Most moments are in the same day as the one before.
    if (!(starts[last]! <= at && at < (starts[last + 1] ?? to))) last = starts.findLastIndex((start) => start <= at);
    return starts[last]!;
  };
}

/** The time from which the ledger has all runs; `null` without runs. */
export async function completeFrom({ query, deletedBefore }: LedgerTables): Promise<number | null> {
  const [row] = await query<{ readonly first: number | null; readonly deleted: number | null }>(
    `SELECT (SELECT min(r.started_at) FROM ledger_runs AS r) AS first, ${deletedBefore} AS deleted`,
  );
  const { first, deleted } = row!;
  return first === null ? null : Math.max(first, deleted ?? first);
}

/** The steps that contain these times. */
export function alignedTo(step: HistoryStep, { from, to }: TimeSpan, timeZone: string): TimeSpan {
  if (step !== "day")
    return {
      from: Math.floor(from / UNIT_MS[step]) * UNIT_MS[step],
      to: Math.ceil(to / UNIT_MS[step]) * UNIT_MS[step],
    };
  return { from: dayContaining(from, timeZone).from, to: dayContaining(to - 1, timeZone).to };
}
