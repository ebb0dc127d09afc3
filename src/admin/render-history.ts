import { alignColumns } from "./align-columns.ts";
import { percentileOf } from "../ledger/history/durations.ts";
import { printable } from "../terms/text/printable.ts";
import { sumOf, type WireHistory } from "./history-wire.ts";

type Group = WireHistory["groups"][number];
type ShownFigures = Omit<Group["points"][number], "at">;

const FIGURES = ["CALLS", "MATCH", "NO MATCH", "FAILED", "REJECTED", "NO CREDENTIAL", "UNKNOWN"];
const HEADINGS = [...FIGURES, "P50 MS", "P95 MS", "P99 MS", "COST"];

/** A line for each group and, if there is one group, a line for each step. */
export function renderHistory({ groups }: Pick<WireHistory, "groups">): string {
  if (groups.length === 0) return "Nothing was called.\n";
  const totals = alignColumns([
    ["GROUP", ...HEADINGS],
    ...groups.map((group) => [nameOf(group), ...cellsOf(group.total)]),
  ]);
  if (groups.length > 1) return `${totals}\n`;
  const steps = groups[0]!.points.map((point) => [point.at, ...cellsOf(point)]);
  return `${totals}\n\n${alignColumns([["AT", ...HEADINGS], ...steps])}\n`;
}

function nameOf({ key, name, number }: Group): string {
  const more = name ?? (number === undefined || number === null ? "" : `version ${number}`);
  return printable(more === "" ? key || "-" : `${key} ${more}`);
}

function cellsOf(line: ShownFigures): readonly string[] {
  const counts = [line.calls, line.match, line.no_match, sumOf(Object.values(line.failed))];
  const others = [sumOf(Object.values(line.rejected)), line.no_credential, line.unknown];
  const times = [0.5, 0.95, 0.99].map((share) => percentileOf(line.durations, share) ?? "-");
  const costs = line.costs.map(({ currency, amount, amount_at_most: most }) =>
    amount === most ? `${amount} ${currency}` : `${amount} to ${most} ${currency}`,
  );
  return [...[...counts, ...others, ...times].map(String), costs.join(", ") || "-"];
}
