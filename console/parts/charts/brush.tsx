import { useState } from "preact/hooks";
import type { TimeAxis } from "../time-range-shape.ts";
import { dayClockText } from "../time-zone.ts";
import { Button } from "../button.tsx";
import type { StepEvents } from "./chart-frame.tsx";
import { endOf } from "./chart-shape.ts";

interface Selected {
  readonly first: number;
  readonly last: number;
}

interface Brush {
  readonly selected: Selected | null;
  readonly select: (selected: Selected | null) => void;
  /** Reports what is selected. */
  readonly finish: (selected: Selected | null) => void;
  readonly events: StepEvents;
}

/** A selection of steps by dragging over the chart. A click selects one step. */
export function useBrush(axis: TimeAxis, onSelect: ((from: number, to: number) => void) | undefined): Brush {
  const [selected, select] = useState<Selected | null>(null);
  const [start, setStart] = useState<number | null>(null);
  const between = (one: number, other: number) => ({ first: Math.min(one, other), last: Math.max(one, other) });
  const finish = (of: Selected | null) => {
    setStart(null);
    select(null);
    if (of !== null) onSelect?.(axis.starts[of.first]!, endOf(axis, of.last));
  };
  return {
    selected,
    select,
    finish,
    events: {
      down: (step) => {
        setStart(step);
        select(between(step, step));
      },
      move: (step) => start !== null && select(between(start, step)),
      up: (step) => start !== null && finish(between(start, step)),
      cancel: () => finish(null),
    },
  };
}

/** The same by keyboard: the first and the last step, each a slider that is shown when it has the focus. */
export function BrushFields({ axis, brush }: { readonly axis: TimeAxis; readonly brush: Brush }) {
  const last = axis.starts.length - 1;
  const now = brush.selected ?? { first: 0, last };
  const slider = (label: string, value: number, text: string, change: (step: number) => Selected) => (
    <input
      class="chart-slider"
      type="range"
      min={0}
      max={last}
      value={value}
      aria-label={label}
      aria-valuetext={text}
      onInput={(event) => brush.select(change(Number(event.currentTarget.value)))}
      onKeyDown={(event) => {
        if (event.key === "Enter") brush.finish(now);
        if (event.key === "Escape") brush.select(null);
      }}
    />
  );
  const [from, to] = [dayClockText(axis.starts[now.first]!, axis.zone), dayClockText(endOf(axis, now.last), axis.zone)];
  return (
    <div class="chart-brush" role="group" aria-label="Select a time range in the chart">
      {slider("From", now.first, from, (first) => ({ first, last: Math.max(first, now.last) }))}
      {slider("To", now.last, to, (end) => ({ first: Math.min(end, now.first), last: end }))}
      <Button onClick={() => brush.finish(now)}>{`Select ${from} to ${to}`}</Button>
    </div>
  );
}
