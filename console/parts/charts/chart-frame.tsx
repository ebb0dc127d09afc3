import { Fragment, type ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ChartProps } from "./chart-props.ts";
import { Axes, Limit, Unknown } from "./axes.tsx";
import { endOf, scaleOf, stepAt, ticksTo, type Frame, type Scale } from "./chart-shape.ts";
import { Figures, stepText, valueText } from "./figures.tsx";
import { Key, Readout } from "./readout.tsx";
import "./charts.css";

interface ChartFrameProps extends ChartProps {
  readonly most: number;
  readonly marks: "line" | "bar";
  readonly draw: (scale: Scale, frame: Frame, pointed: number | null) => ComponentChildren;
  /** Called with the step at the pointer, to select some. */
  readonly onStep?: StepEvents | undefined;
  /** Content of the line below the chart, after the legend. */
  readonly below?: ComponentChildren;
}

export interface StepEvents {
  readonly down: (step: number) => void;
  readonly move: (step: number) => void;
  readonly up: (step: number) => void;
  readonly cancel: () => void;
}

const HEIGHT = 160;
/** Width of a letter of the labels, which are aligned to the axis. */
const LETTER = 7;
const LEFT_MIN = 60;
/** A limit that is much higher than all values would flatten them. It is then named in the legend and not drawn. */
const LIMIT_FACTOR = 2.5;

/** Axes, legend and figures of a chart over time. Its height is fixed, so that the layout does not jump. */
export function ChartFrame(props: ChartFrameProps) {
  const { says, axis, series, format, nothing, knownFrom, limit, isFraction, most, marks, draw, onStep, below } = props;
  const { holder, width } = useWidth();
  const [pointed, point] = useState<number | null>(null);
  const from = axis.starts[0] ?? 0;
  const isLimitDrawn = limit !== undefined && limit.value <= LIMIT_FACTOR * most;
  const ticks = ticksTo(Math.max(most, isLimitDrawn ? limit.value : 0), { isWhole: isFraction !== true });
  const left = Math.max(LEFT_MIN, 16 + LETTER * Math.max(...ticks.map((tick) => format(tick).length)));
  const frame = { left, right: Math.max(left + 40, width - 6), top: 10, bottom: HEIGHT - 20 };
  const scale = scaleOf(frame, from, axis.to, ticks.at(-1)!);
  const shown = pointed !== null && pointed < axis.starts.length ? pointed : null;
  const shareOf = (event: PointerEvent) => (event.offsetX - frame.left) / (frame.right - frame.left);
  const stepOf = (event: PointerEvent) => stepAt(axis, from + shareOf(event) * (axis.to - from));
  const isEmpty = series.every(({ values }) => values.every((value) => value === null || value === 0));
  return (
    <figure class={onStep === undefined ? "chart" : "chart is-brushed"} ref={holder}>
      <div class="chart-plot">
        <svg
          role="img"
          aria-label={says}
          width={width}
          height={HEIGHT}
          onPointerLeave={() => point(null)}
          onPointerMove={(event) => {
            const isWithin = shareOf(event) >= 0 && shareOf(event) <= 1;
            point(isWithin ? stepOf(event) : null);
            onStep?.move(stepOf(event));
          }}
          onPointerDown={(event) => {
            if (onStep === undefined || event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            onStep.down(stepOf(event));
          }}
          onPointerUp={(event) => onStep?.up(stepOf(event))}
          onPointerCancel={() => onStep?.cancel()}
        >
          {/* Without values there is no scale. */}
          <Axes axis={axis} ticks={ticks} scale={scale} frame={frame} format={isEmpty ? () => "" : format} />
          <Unknown before={knownFrom} axis={axis} scale={scale} frame={frame} />
          {isEmpty && (
            <text class="chart-nothing" x={(frame.left + frame.right) / 2} y={(frame.top + frame.bottom) / 2}>
              {nothing}
            </text>
          )}
          {shown !== null && (
            <rect
              class="chart-pointed"
              x={scale.x(axis.starts[shown]!)}
              width={Math.max(1, scale.x(endOf(axis, shown)) - scale.x(axis.starts[shown]!))}
              y={frame.top}
              height={frame.bottom - frame.top}
            />
          )}
          {draw(scale, frame, shown)}
          {isLimitDrawn && <Limit of={limit} scale={scale} frame={frame} />}
        </svg>
        {shown !== null && (
          <Readout title={stepText(axis, shown)} isLeft={shown >= axis.starts.length / 2}>
            {series.map((one) => (
              <Fragment key={one.label}>
                <Key of={one} marks={marks} />
                <bdi>{one.label}</bdi>
                <strong>{valueText(one, shown, format)}</strong>
              </Fragment>
            ))}
          </Readout>
        )}
      </div>
      <figcaption class="chart-below">
        <div class="chart-legend" aria-hidden="true">
          {series.map((one) => (
            <span key={one.label}>
              <Key of={one} marks={marks} /> <bdi>{one.label}</bdi>
            </span>
          ))}
          {limit !== undefined && !isLimitDrawn && <span>{limit.label}</span>}
        </div>
        {below}
        <Figures says={says} axis={axis} series={series} format={format} />
      </figcaption>
    </figure>
  );
}

/** The width of an element, which follows that of the window. */
export function useWidth() {
  const holder = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(480);
  useLayoutEffect(() => {
    const element = holder.current!;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  return { holder, width };
}
