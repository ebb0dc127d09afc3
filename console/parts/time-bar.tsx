import type { OutcomeKind } from "./outcome.tsx";
import { tickText, ticksOf } from "./time-ticks.ts";
import "./time-bar.css";

/** A time span on the axis of its run. */
interface TimeSpan {
  readonly fromMs: number;
  /** `null` while it is in progress: it extends to the end of the axis. */
  readonly toMs: number | null;
  readonly kind: OutcomeKind;
  /** The span in words, for its title and for screen readers. */
  readonly says: string;
}

interface TimeBarProps {
  /** Length of the axis, which all bars of a run share, in milliseconds. */
  readonly totalMs: number;
  /** In drawing order: later spans cover earlier ones. */
  readonly spans: readonly TimeSpan[];
}

/** Time spans on an axis that starts with the run. Colour and pattern show the outcome. */
export function TimeBar({ totalMs, spans }: TimeBarProps) {
  const share = (ms: number) => `${(100 * Math.min(Math.max(ms / Math.max(totalMs, 1), 0), 1)).toFixed(2)}%`;
  const says = spans.map((one) => one.says).join("; ");
  return (
    <svg class="time-bar" role="img" aria-label={says} width="100%" height="14">
      <line class="time-bar-axis" x1="0" x2="100%" y1="13" y2="13" />
      {spans.map(({ fromMs, toMs, kind, says: text }) => {
        const end = toMs ?? totalMs;
        return (
          <rect
            key={`${fromMs} ${text}`}
            class={`time-span time-span-${kind}`}
            x={share(fromMs)}
            y="2.5"
            width={share(Math.max(end - fromMs, 0))}
            height="9"
          >
            <title>{text}</title>
          </rect>
        );
      })}
    </svg>
  );
}

/** The axis above the time bars of a run. */
export function TimeAxis({ totalMs, beginsAt }: { readonly totalMs: number; readonly beginsAt?: string }) {
  const share = (ms: number) => `${((100 * ms) / Math.max(totalMs, 1)).toFixed(2)}%`;
  return (
    <svg class="time-axis" width="100%" height="20" aria-hidden="true">
      {ticksOf(totalMs).map((ms) => {
        const isLast = ms > totalMs * 0.92;
        return (
          <g key={ms}>
            <line x1={share(ms)} x2={share(ms)} y1="15" y2="20" />
            <text x={share(ms)} y="12" text-anchor={ms === 0 ? "start" : isLast ? "end" : "middle"}>
              {ms === 0 && beginsAt !== undefined ? beginsAt : tickText(ms)}
            </text>
          </g>
        );
      })}
      <line x1="0" x2="100%" y1="19.5" y2="19.5" />
    </svg>
  );
}
