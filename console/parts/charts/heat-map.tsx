import { TimeLabels } from "./axes.tsx";
import { useWidth } from "./chart-frame.tsx";
import { FigureTable, stepText } from "./figures.tsx";
import { Readout } from "./readout.tsx";
import { endOf, type Values } from "./chart-shape.ts";
import type { TimeAxis } from "../time-range-shape.ts";
import { dayClockText, dayText } from "../time-zone.ts";
import { useState } from "preact/hooks";

interface HeatRow {
  readonly key: string;
  readonly label: string;
  readonly href?: string;
  /** From 0, nothing to see, to 5; `null` for no value. */
  readonly levels: Values;
  /** The figure of each step in words. */
  readonly texts: readonly (string | null)[];
}

export interface HeatMapProps {
  readonly says: string;
  readonly axis: TimeAxis;
  readonly rows: readonly HeatRow[];
  /** The meaning of the levels 0 to 5, for the legend. */
  readonly legend: readonly string[];
  readonly knownFrom?: number | null;
}

const ROW = 20;
const FOOT = 20;

/** A row for each source and a cell for each step, coloured by level: which source had trouble, and when. */
export function HeatMap({ says, axis, rows, legend, knownFrom }: HeatMapProps) {
  const { holder, width } = useWidth();
  const [pointed, point] = useState<{ readonly row: number; readonly step: number } | null>(null);
  const left = Math.min(240, Math.round(width * 0.35));
  const [right, height] = [Math.max(left + 40, width - 6), rows.length * ROW + FOOT];
  const from = axis.starts[0] ?? 0;
  const x = (time: number) => left + ((time - from) / Math.max(1, axis.to - from)) * (right - left);
  const at = pointed && rows[pointed.row] && axis.starts[pointed.step] !== undefined ? pointed : null;
  const follow = (event: PointerEvent) => {
    const step = axis.starts.findLastIndex((start) => x(start) <= event.offsetX);
    const row = Math.floor(event.offsetY / ROW);
    point(step === -1 || event.offsetX < left || row >= rows.length ? null : { row, step });
  };
  return (
    <figure class="chart" ref={holder}>
      <div class="chart-plot">
        {/* Links beside the picture, because a picture has no content for screen readers. */}
        <ul class="heat-names">
          {rows.map(({ key, label, href }) => (
            <li key={key}>
              {href === undefined ? (
                <span title={label}>{label}</span>
              ) : (
                <a href={href} title={label}>
                  {label}
                </a>
              )}
            </li>
          ))}
        </ul>
        <svg
          class="heat-cells"
          role="img"
          aria-label={says}
          width={width}
          height={height}
          onPointerMove={follow}
          onPointerLeave={() => point(null)}
        >
          {rows.map(({ key, levels }, row) => (
            <g key={key}>
              {axis.starts.map((start, step) => {
                const level = levels[step];
                if (level === null || level === undefined) return null;
                const width = Math.max(1, x(endOf(axis, step)) - x(start) - (axis.starts.length < 60 ? 1 : 0.25));
                return (
                  <rect
                    key={start}
                    class={`heat-${level}`}
                    x={x(start)}
                    y={row * ROW + 1}
                    width={width}
                    height={ROW - 2}
                  />
                );
              })}
            </g>
          ))}
          {knownFrom !== null && knownFrom !== undefined && knownFrom > from && (
            <rect
              class="chart-unknown"
              x={left}
              y="0"
              width={x(Math.min(knownFrom, axis.to)) - left}
              height={height - FOOT}
            />
          )}
          {at && (
            <rect
              class="heat-pointed"
              x={x(axis.starts[at.step]!)}
              y={at.row * ROW + 1}
              width={Math.max(2, x(endOf(axis, at.step)) - x(axis.starts[at.step]!))}
              height={ROW - 2}
            />
          )}
          <g aria-hidden="true">
            <TimeLabels axis={axis} x={x} left={left} right={right} y={height - 4} />
          </g>
        </svg>
        {at && (
          <Readout title={stepText(axis, at.step)} isLeft={at.step >= axis.starts.length / 2}>
            <bdi class="chart-readout-line">{rows[at.row]!.label}</bdi>
            <strong class="chart-readout-line">{rows[at.row]!.texts[at.step] ?? "no calls"}</strong>
          </Readout>
        )}
      </div>
      <figcaption class="chart-below">
        <div class="chart-legend" aria-hidden="true">
          {legend.map((text, level) => (
            <span key={text}>
              <svg class="chart-key" width="16" height="10">
                <rect class={`heat-${level}`} x="3" y="0.5" width="10" height="9" />
              </svg>{" "}
              {text}
            </span>
          ))}
        </div>
        <FigureTable
          says={says}
          head={["Time", ...rows.map(({ label }) => label)]}
          rows={() =>
            axis.starts.map((start, step) => ({
              key: String(start),
              cells: [
                axis.step === "day" ? dayText(start, axis.zone) : dayClockText(start, axis.zone),
                ...rows.map(({ texts }) => texts[step] ?? "–"),
              ],
            }))
          }
        />
      </figcaption>
    </figure>
  );
}
