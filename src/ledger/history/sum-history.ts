import { EMPTY_SPAN, readWhileTotalsExist } from "../totals/group-requests.ts";
import { tryTotals } from "../totals/sum-requests.ts";
import { chooseSpans, PARTS_MAX } from "../totals/spans.ts";
import { dayContaining, daysIn, type TimeSpan } from "../../terms/time/calendar.ts";
import { vendorOf } from "../../terms/ids.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../terms/time/durations.ts";
import type { LedgerTables } from "../ports.ts";
import { toStored } from "../stored-text.ts";
import { addFigures, addText, type Figures, noFigures, countOf } from "./figures.ts";
import { addRow, conditionOf, groupedRows, type GroupedRow, type KeyCondition } from "./group-ends.ts";
import { HISTORY, type HistorySpan, makeHistory, readHistorySpans } from "./make-history.ts";
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
  const ofVendor = { key: "source_key" as const, text: `${toStored(filter.vendor ?? "")}__`, isPrefix: true };
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

/** All offsets of time zones since 1972 are multiples of it. */
const QUARTER_MS = 15 * MINUTE_MS;
/** The units of time in which calls and runs are grouped before they are added to steps. */
export const UNIT_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: QUARTER_MS } as const;

/** Reads totals, which are made first where they are missing, and calls where totals are impossible. */
export async function sumHistory(
  tables: LedgerTables,
  filter: HistoryFilter,
  onProgress?: OnProgress,
): Promise<History> {
  const asked = askedOf(filter);
  const grouping = filter.step === "minute" ? null : groupingOf(asked);
  const ofTotals = grouping === null ? null : await readWithTotals(tables, filter, asked, grouping, onProgress);
  const rows = ofTotals ?? {
    stored: [],
    grouped: (await readGrouped(tables, asked, UNIT_MS[filter.step], { spans: [], uncovered: [filter] }))!,
  };
  return toHistory(rows, filter, asked.unit, await completeFrom(tables));
}

async function readWithTotals(
  tables: LedgerTables,
  filter: HistoryFilter,
  asked: Asked,
  grouping: Grouping,
  onProgress: OnProgress | undefined,
): Promise<Rows | null> {
  const onlyTotals = filter.onlyTotals === true;
  const longestMs = isOfWholeDays(filter) ? DAY_MS : HOUR_MS;
  // If totals cannot be made, existing ones and calls still give the figures.
  if (!onlyTotals) await makeHistory(tables, filter, { longestMs, onProgress }).catch(() => {});
  return tryTotals(async () => {
    const { spans, uncovered } = await coverOf(tables, filter, longestMs);
    const stored = spans.length === 0 ? [] : await readStored(tables, asked, grouping, spans);
    const cover = { spans, uncovered: onlyTotals ? [] : uncovered };
    const grouped = await readGrouped(tables, asked, UNIT_MS[filter.step], cover);
    return grouped === null ? null : { stored, grouped };
  });
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
     WHERE t.id IN (${spans.map(() => "?").join(", ")})${only.map((one) => ` AND ${conditionOf(tables, one)}`).join("")}`,
    [...spans.map(({ id }) => id), ...only.map(({ text }) => text)],
  );
}

/**
 * Groups the rest of the time by one statement, which also checks that the spans still exist: then their totals and
 * these groups are those of one moment. `null` if one of them has been deleted.
 */
function readGrouped(
  tables: LedgerTables,
  { unit, key, only }: Asked,
  unitMs: number,
  { spans, uncovered }: Cover,
): Promise<readonly KeyedRow[] | null> {
  const query = { unit, keys: key === null ? [] : [key], only, unitMs };
  const parts = (uncovered.length === 0 ? [EMPTY_SPAN] : uncovered).flatMap((part) => groupedRows(tables, query, part));
  const statement = {
    sql: `SELECT g.*, ${textOf(tables, key, "g")} AS key FROM (${parts.map(({ sql }) => sql).join(" UNION ALL ")}) AS g`,
    values: parts.flatMap(({ values }) => values),
  };
  const ids = spans.map(({ id }) => id);
  return readWhileTotalsExist<KeyedRow>(tables, { spans: HISTORY.spans, ids }, statement, "at");
}

function textOf(tables: LedgerTables, key: HistoryKey | null, alias: string): string {
  if (key === null) return "''";
  return key === "function_key" ? `${alias}.${key}` : tables.textOf(`${alias}.${key}`);
}

/** Totals of spans that each lie in one step, and the rest of the time. */
async function coverOf(tables: LedgerTables, filter: HistoryFilter, longestMs: number): Promise<Cover> {
  const stepOf = stepsOf(filter);
  const existing = await readHistorySpans(tables, filter);
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
    const group = filter.by === "vendor" ? vendorOf(key ?? "") : (key ?? "");
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
