import { DAY_MS, type TimeInterval } from "../totals/spans.ts";
import { dayContaining, daysIn } from "../../terms/time/calendar.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import type { LedgerTables } from "../ports.ts";
import { toStored } from "../stored-text.ts";
import { addFigures, type Figures, noFigures, countOf } from "./figures.ts";
import { addRow, groupedRows, type GroupedRow, type KeyCondition } from "./group-ends.ts";
import { groupingWith, type HistoryKey, type HistoryUnit, KEYS } from "./groupings.ts";

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

type Selection = Omit<HistoryFilter, "step" | "from" | "to" | "timeZone" | "groupsMax">;

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
  const { unit, only, key } = askedOf(selection);
  const keys = [...only.map((one) => one.key), ...(key === null ? [] : [key])];
  if (!keys.every((one) => (KEYS[unit] as readonly HistoryKey[]).includes(one))) return "never";
  return groupingWith(unit, keys) === null ? "rows" : "totals";
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
const QUARTER_MS = 15 * 60_000;
const UNIT_MS = { minute: 60_000, hour: 60 * 60_000, day: QUARTER_MS } as const;

export async function sumHistory(
  tables: LedgerTables,
  filter: HistoryFilter,
  _onProgress?: OnProgress,
): Promise<History> {
  const { unit, key, only } = askedOf(filter);
  const stepOf = stepsOf(filter);
  const groups = new Map<string, Map<number, Figures>>();
  const figuresAt = (text: string | null, at: number): Figures => {
    const group = filter.by === "vendor" ? (text ?? "").split(BETWEEN)[0]! : (text ?? "");
    const points = entryOf(groups, group, () => new Map<number, Figures>());
    return entryOf(points, stepOf(at), noFigures);
  };
  const query = { unit, keys: key === null ? [] : [key], only, unitMs: UNIT_MS[filter.step] };
  const text = key === null ? "''" : key === "function_key" ? `s.${key}` : tables.textOf(`s.${key}`);
  for (const { sql, values } of groupedRows(tables, query, filter)) {
    const rows = await tables.query<GroupedRow & { readonly key: string | null }>(
      `SELECT s.*, ${text} AS key FROM (${sql}) AS s`,
      values,
    );
    for (const row of rows) addRow(figuresAt(row.key, row.at), unit, row);
  }
  const found = [...groups].map(([group, points]) => toGroup(group, points));
  const sorted = found.toSorted(
    (one, other) => countOf(other.total) - countOf(one.total) || (one.key < other.key ? -1 : 1),
  );
  return {
    completeFrom: await completeFrom(tables),
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
function stepsOf({ step, from, to, timeZone }: HistoryFilter): (at: number) => number {
  if (step !== "day") return (at) => at - (at % UNIT_MS[step]);
  if (timeZone === "UTC") return (at) => at - (at % DAY_MS);
  const starts = [...daysIn({ from, to }, timeZone)].map((day) => day.from);
  return (at) => starts[starts.findLastIndex((start) => start <= at)]!;
}

async function completeFrom({ query, deletedBefore }: LedgerTables): Promise<number | null> {
  const [row] = await query<{ readonly first: number | null; readonly deleted: number | null }>(
    `SELECT (SELECT min(r.started_at) FROM ledger_runs AS r) AS first, ${deletedBefore} AS deleted`,
  );
  const { first, deleted } = row!;
  return first === null ? null : Math.max(first, deleted ?? first);
}

/** The steps that contain these times. */
export function alignedTo(step: HistoryStep, { from, to }: TimeInterval, timeZone: string): TimeInterval {
  if (step !== "day")
    return {
      from: Math.floor(from / UNIT_MS[step]) * UNIT_MS[step],
      to: Math.ceil(to / UNIT_MS[step]) * UNIT_MS[step],
    };
  return { from: dayContaining(from, timeZone).from, to: dayContaining(to - 1, timeZone).to };
}
