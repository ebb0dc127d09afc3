import { address, setQuery } from "../../address.ts";
import { Shape } from "../../parts/outcome.tsx";
import { TimeAxis, TimeBar } from "../../parts/time-bar.tsx";
import { Took, tookText } from "../../parts/values.tsx";
import { CallDetails } from "./call-details.tsx";
import { type Attempt, type Call, kindOfCall, outcomeText, type Shown } from "./run-words.ts";

interface RunTimelineProps {
  readonly of: Shown;
  /** The name of the organization, for the dialog that settles a charge. */
  readonly organization: string;
  readonly reload: () => void;
}

/**
 * All calls as bars on the axis of their run. Failed calls and calls with unknown charges are expanded at first. The
 * address names the expanded calls. The arrow keys move between calls.
 */
export function RunTimeline({ of, organization, reload }: RunTimelineProps) {
  const { calls } = of;
  if (calls.length === 0) return <p class="dim">No source was called.</p>;
  const open = openCalls(calls);
  const totalMs = Math.max(1, of.run!.took_ms ?? 0, ...calls.map(endOf));
  const toggle = (ordinal: number) => {
    const changed = open.has(ordinal) ? [...open].filter((one) => one !== ordinal) : [...open, ordinal];
    setQuery({ open: changed.length === 0 ? "none" : changed.toSorted((a, b) => a - b).join(",") });
  };
  return (
    <div class="timeline">
      <div class="timeline-row timeline-head">
        <span />
        <TimeAxis totalMs={totalMs} />
        <span />
      </div>
      <ol onKeyDown={goByArrows}>
        {calls.map((call) => (
          <li key={call.ordinal} class="timeline-call">
            <CallRow
              call={call}
              calls={calls}
              attempts={of.attempts}
              totalMs={totalMs}
              isOpen={open.has(call.ordinal)}
              onToggle={() => toggle(call.ordinal)}
            />
            {open.has(call.ordinal) && (
              <div id={`call-${call.ordinal}`}>
                <CallDetails of={of} call={call} organization={organization} reload={reload} />
              </div>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

interface CallRowProps {
  readonly call: Call;
  readonly calls: readonly Call[];
  readonly attempts: readonly Attempt[];
  readonly totalMs: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function CallRow({ call, calls, attempts, totalMs, isOpen, onToggle }: CallRowProps) {
  const before = calls.find(({ ordinal }) => ordinal === call.waited_for);
  const fromMs = call.started_after_ms ?? 0;
  const toMs = call.took_ms === null ? null : fromMs + call.took_ms;
  const kind = kindOfCall(call, attempts);
  const says = `${outcomeText(call)}, from ${tookText(fromMs)}${toMs === null ? "" : ` to ${tookText(toMs)}`}`;
  return (
    <div class="timeline-row">
      <button
        type="button"
        class="timeline-name"
        aria-expanded={isOpen}
        aria-controls={`call-${call.ordinal}`}
        onClick={onToggle}
      >
        <svg class="timeline-caret" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
          <path d={isOpen ? "M1 3l4 4 4-4" : "M3 1l4 4-4 4"} fill="none" stroke="currentColor" stroke-width="1.5" />
        </svg>
        <Shape of={kind} />
        <span class="timeline-source">
          {call.source}
          {before && <span class="dim timeline-after">waited for {before.source}</span>}
        </span>
      </button>
      <TimeBar totalMs={totalMs} spans={[{ fromMs, toMs, kind, says }]} />
      <span class="number">
        <Took ms={call.took_ms} />
      </span>
    </div>
  );
}

/** The calls in the address; without any, those that failed or have unknown charges. */
function openCalls(calls: readonly Call[]): ReadonlySet<number> {
  const named = address().query.get("open");
  if (named === null) return new Set(calls.filter(hasToExplain).map(({ ordinal }) => ordinal));
  return new Set(named.split(",").flatMap((text) => (/^\d+$/.test(text) ? Number(text) : [])));
}

function hasToExplain({ success, charged }: Call): boolean {
  return success !== 1 || charged === "unknown";
}

function endOf(call: Call): number {
  return (call.started_after_ms ?? 0) + (call.took_ms ?? 0);
}

function goByArrows(event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const names = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".timeline-name")];
  const at = names.indexOf(document.activeElement as HTMLElement);
  if (step === 0 || at === -1) return;
  event.preventDefault();
  names[at + step]?.focus();
}
