import { useState } from "preact/hooks";
import type { TimeAxis } from "../time-range-shape.ts";
import { clockText, dayClockText, dayText } from "../time-zone.ts";
import type { ChartProps, Series } from "./chart-props.ts";
import { endOf } from "./chart-shape.ts";

/** A step in words. */
export function stepText(axis: TimeAxis, at: number): string {
  const start = axis.starts[at]!;
  if (axis.step === "day") return dayText(start, axis.zone);
  if (axis.step === "minute") return clockText(start, axis.zone);
  return `${dayText(start, axis.zone)}, ${clockText(start, axis.zone)} to ${clockText(endOf(axis, at), axis.zone)}`;
}

/** A value as text; a dash if it is unknown. */
export function valueText({ values, texts }: Series, at: number, format: (value: number) => string): string {
  const [value, text] = [values[at], texts?.[at]];
  if (text !== null && text !== undefined) return text;
  return value === null || value === undefined ? "–" : format(value);
}

/** The figures of a chart as a table, made when it is opened. */
export function Figures({ says, axis, series, format }: Pick<ChartProps, "says" | "axis" | "series" | "format">) {
  return (
    <FigureTable
      says={says}
      head={[axis.step === "day" ? "Day" : "Time", ...series.map(({ label }) => label)]}
      rows={() =>
        axis.starts.map((start, at) => ({
          key: String(start),
          cells: [
            axis.step === "day" ? dayText(start, axis.zone) : dayClockText(start, axis.zone),
            ...series.map((one) => valueText(one, at, format)),
          ],
        }))
      }
    />
  );
}

interface FigureTableProps {
  readonly says: string;
  readonly head: readonly string[];
  readonly rows: () => readonly { readonly key: string; readonly cells: readonly string[] }[];
}

export function FigureTable({ says, head, rows }: FigureTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="chart-figures" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Figures</summary>
      {isOpen && (
        // The content scrolls, so that a keyboard must be able to reach it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div class="chart-table" tabIndex={0} role="region" aria-label={says}>
          <table>
            <caption class="visually-hidden">{says}</caption>
            <thead>
              <tr>
                {head.map((title, at) => (
                  <th key={at} scope="col">
                    <bdi>{title}</bdi>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows().map(({ key, cells: [first, ...others] }) => (
                <tr key={key}>
                  <th scope="row">{first}</th>
                  {others.map((text, at) => (
                    <td key={at}>{text}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
