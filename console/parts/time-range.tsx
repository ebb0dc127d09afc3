import { useEffect, useState } from "preact/hooks";
import { address, currentZone, setQuery } from "../address.ts";
import { Button } from "./button.tsx";
import { SelectField, TextField } from "./fields.tsx";
import {
  axisOf,
  fromLocalField,
  PRESETS,
  presetSpan,
  stepOf,
  toLocalField,
  type Preset,
  type Step,
  type TimeAxis,
} from "./time-range-shape.ts";
import { DAY_MS, dayClockText, LOCAL_ZONE } from "./time-zone.ts";
import "./time-range.css";

export interface TimeRange {
  readonly name: Preset | "custom";
  /** The range as verbs take it. Of a preset it is whole steps, of which the last is the current one. */
  readonly from: string;
  readonly to: string;
  readonly axis: TimeAxis;
  readonly step: Step;
  /** IANA name of the zone that times are shown in. */
  readonly zone: string;
  /** The range in words: `the last 24 hours`. */
  readonly says: string;
  /** The parameters of the address, for links to pages with the same range. */
  readonly query: Readonly<Record<"range" | "from" | "to" | "zone", string | null>>;
}

/** The time range in the address. Without one it is `preset`; with `null`, the page has none. */
export function useTimeRange(preset?: Preset): TimeRange;
export function useTimeRange(preset: Preset | null): TimeRange | null;
export function useTimeRange(preset: Preset | null = "24h"): TimeRange | null {
  const now = useMinute();
  const { query } = address();
  const zone = currentZone();
  const asked = query.get("range") ?? "";
  const [from, to] = [timeOf(query.get("from")), timeOf(query.get("to"))];
  const zoneQuery = { zone: query.get("zone") };
  const name = asked in PRESETS ? (asked as Preset) : from !== null || to !== null ? "custom" : preset;
  if (name === null) return null;
  if (name !== "custom") {
    const span = presetSpan(name, now, zone);
    return rangeOf(name, span.from, span.to, PRESETS[name].step, zone, PRESETS[name].says, {
      range: name,
      from: null,
      to: null,
      ...zoneQuery,
    });
  }
  const end = to ?? now;
  const start = from !== null && from < end ? from : end - DAY_MS;
  const says = `${dayClockText(start, zone)} to ${dayClockText(end, zone)}`;
  return rangeOf(name, start, end, stepOf(start, end), zone, says, {
    range: null,
    from: query.get("from"),
    to: query.get("to"),
    ...zoneQuery,
  });
}

function rangeOf(
  name: TimeRange["name"],
  from: number,
  to: number,
  step: Step,
  zone: string,
  says: string,
  query: TimeRange["query"],
): TimeRange {
  const iso = (ms: number) => new Date(ms).toISOString();
  return { name, from: iso(from), to: iso(to), axis: axisOf(from, to, step, zone), step, zone, says, query };
}

function timeOf(text: string | null): number | null {
  const ms = text === null ? NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

/** The start of the current minute, so that a range that ends now moves on. */
function useMinute(): number {
  const [now, setNow] = useState(minute);
  useEffect(() => {
    const timer = setInterval(() => setNow(minute), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function minute(): number {
  return Math.floor(Date.now() / 60_000) * 60_000;
}

/** Sets a custom range, such as one that was selected in a chart. */
export function setTimeRange(fromMs: number, toMs: number): void {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  setQuery({ range: null, from: from!, to: to! }, { remember: true });
}

interface TimeRangeControlProps {
  readonly range: TimeRange | null;
  /** Label of the choice of no range, on pages that may have none. */
  readonly any?: string;
}

/** Chooses the range and the zone of a page. Both are in the address. */
export function TimeRangeControl({ range, any }: TimeRangeControlProps) {
  const [isOpen, setOpen] = useState(false);
  const zone = currentZone();
  const isCustom = isOpen || range?.name === "custom";
  const choose = (name: Preset | null) => {
    setOpen(false);
    setQuery({ range: name, from: null, to: null }, { remember: true });
  };
  return (
    <div class="time-range" role="group" aria-label="Time range">
      <div class="time-range-choices">
        {any !== undefined && (
          <Button kind="quiet" pressed={range === null && !isOpen} onClick={() => choose(null)}>
            {any}
          </Button>
        )}
        {Object.entries(PRESETS).map(([name, { label }]) => (
          <Button
            key={name}
            kind="quiet"
            pressed={range?.name === name && !isOpen}
            onClick={() => choose(name as Preset)}
          >
            {label}
          </Button>
        ))}
        <Button kind="quiet" pressed={isCustom} onClick={() => setOpen(true)}>
          Custom
        </Button>
      </div>
      <ZoneChoice zone={zone} />
      {isCustom && (
        <CustomRange key={`${range?.from} ${range?.to} ${zone}`} range={range} onDone={() => setOpen(false)} />
      )}
    </div>
  );
}

function ZoneChoice({ zone }: { readonly zone: string }) {
  const zones = [...new Set(["UTC", LOCAL_ZONE, zone])];
  return (
    <div class="time-range-zone">
      <SelectField
        label="Time zone"
        value={zone}
        onValue={(value) => setQuery({ zone: value === "UTC" ? null : value }, { remember: true })}
        choices={zones.map((name) => ({
          value: name,
          label: name === LOCAL_ZONE && name !== "UTC" ? `Local time, ${name}` : name,
        }))}
      />
    </div>
  );
}

function CustomRange({ range, onDone }: { readonly range: TimeRange | null; readonly onDone: () => void }) {
  const zone = currentZone();
  const fieldOf = (iso: string | undefined, back: number) =>
    toLocalField(iso === undefined ? minute() - back : Date.parse(iso), zone);
  const [from, setFrom] = useState(fieldOf(range?.from, DAY_MS));
  const [to, setTo] = useState(fieldOf(range?.to, 0));
  const [start, end] = [fromLocalField(from, zone), fromLocalField(to, zone)];
  const problem = start !== null && end !== null && start >= end ? "This is not before the end." : undefined;
  return (
    <form
      class="time-range-custom"
      onSubmit={(event) => {
        event.preventDefault();
        if (start === null || end === null || problem !== undefined) return;
        onDone();
        setTimeRange(start, end);
      }}
    >
      <TextField label="From" type="datetime-local" value={from} onValue={setFrom} problem={problem} required />
      <TextField label="Before" type="datetime-local" value={to} onValue={setTo} required />
      <Button type="submit">Apply</Button>
    </form>
  );
}
