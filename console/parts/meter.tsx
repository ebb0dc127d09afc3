import "./meter.css";

interface MeterProps {
  /** May exceed 100. */
  readonly percent: number;
  readonly isHigh: boolean;
  /** The same as amounts of money. */
  readonly says: string;
}

/** How much of a limit is used. */
export function Meter({ percent, isHigh, says }: MeterProps) {
  return (
    <div class="meter">
      <svg
        class={isHigh ? "meter-bar is-high" : "meter-bar"}
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <rect class="meter-all" width="100" height="6" />
        <rect class="meter-used" width={Math.min(100, percent)} height="6" />
      </svg>
      <span>
        {percent} % <span class="dim">{says}</span>
      </span>
    </div>
  );
}
