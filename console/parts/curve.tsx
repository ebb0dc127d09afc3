import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { drawLine, quartersBetween, scaleOf, ticksTo } from "./curve-shape.ts";
import "./curve.css";

export interface Line {
  readonly label: string;
  readonly colour: "accent" | "failed" | "no-record";
  /** One value for each time; `null` for none. */
  readonly values: readonly (number | null)[];
  readonly isDashed?: boolean;
}

interface CurveProps {
  /** What the lines show, in a sentence for screen readers. */
  readonly says: string;
  /** Unix seconds. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  /** Shown if no line has a value. */
  readonly nothing: string;
}

const HEIGHT = 132;
const LEFT = 60;

/** Line chart over time, with the values at the pointer. Its height is fixed, so that the layout does not jump. */
export function Curve({ says, times, lines, format, nothing }: CurveProps) {
  const holder = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(480);
  const [pointed, point] = useState<number | null>(null);
  useLayoutEffect(() => {
    const element = holder.current!;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => resized.disconnect();
  }, []);

  const ticks = ticksTo(Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const frame = { left: LEFT, right: width - 6, top: 8, bottom: HEIGHT - 20 };
  const scale = scaleOf(frame, times, ticks.at(-1)!);
  const shown = pointed !== null && pointed < times.length ? pointed : null;
  const follow = (event: PointerEvent) => {
    const share = (event.offsetX - frame.left) / (frame.right - frame.left);
    const time = times[0]! + share * (times.at(-1)! - times[0]!);
    const distance = (index: number) => Math.abs(times[index]! - time);
    point(share < 0 ? null : [...times.keys()].reduce((best, one) => (distance(one) < distance(best) ? one : best), 0));
  };

  return (
    <figure class="curve" ref={holder}>
      <svg
        role="img"
        aria-label={says}
        width={width}
        height={HEIGHT}
        onPointerMove={follow}
        onPointerLeave={() => point(null)}
      >
        {ticks.map((tick) => (
          <g key={tick} aria-hidden="true">
            <path class="curve-grid" d={`M${frame.left} ${scale.y(tick)}H${frame.right}`} />
            <text class="curve-value" x={frame.left - 8} y={scale.y(tick) + 4}>
              {format(tick)}
            </text>
          </g>
        ))}
        {quartersBetween(times[0] ?? 0, times.at(-1) ?? 0).map((time) => (
          <text key={time} class="curve-time" aria-hidden="true" x={scale.x(time)} y={HEIGHT - 4}>
            {timeOf(time)}
          </text>
        ))}
        {lines.every(({ values }) => values.every((value) => value === null)) && (
          <text class="curve-nothing" x={(frame.left + frame.right) / 2} y={(frame.top + frame.bottom) / 2}>
            {nothing}
          </text>
        )}
        {shown !== null && <path class="curve-grid" d={`M${scale.x(times[shown]!)} ${frame.top}V${frame.bottom}`} />}
        {lines.map(({ label, colour, values, isDashed = false }) => {
          const { path, points } = drawLine(times, values, scale);
          return (
            <g key={label} class={`curve-line curve-${colour}${isDashed ? " is-dashed" : ""}`}>
              <path d={path} />
              {points.map(({ x, y }) => (
                <circle key={x} cx={x} cy={y} r="2.5" />
              ))}
            </g>
          );
        })}
      </svg>
      <figcaption class="curve-legend" aria-hidden="true">
        {lines.map(({ label, colour, values, isDashed = false }) => (
          <span key={label}>
            <svg class={`curve-line curve-${colour}${isDashed ? " is-dashed" : ""}`} width="20" height="8">
              <path d="M0 4h20" />
            </svg>{" "}
            {label} {shown !== null && <strong>{valueOf(values[shown], format)}</strong>}
          </span>
        ))}
        {shown !== null && <span>at {timeOf(times[shown]!)}</span>}
      </figcaption>
    </figure>
  );
}

function valueOf(value: number | null | undefined, format: CurveProps["format"]): string {
  return value === null || value === undefined ? "–" : format(value);
}

const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });

function timeOf(seconds: number): string {
  return TIME.format(new Date(seconds * 1_000));
}
