import "./amount.css";

interface ShareBarProps {
  /** Thousandths of the width: the certain part, and the end of the uncertain part. */
  readonly known: number;
  readonly open?: number;
  /** Position of a line, such as the warning level. */
  readonly mark?: number;
  /** `high`: beyond its warning level. `full`: nothing is left. */
  readonly level?: "high" | "full" | undefined;
}

/** A bar beside a number. The number has the same information, so the bar is hidden from screen readers. */
export function ShareBar({ known, open = known, mark, level }: ShareBarProps) {
  return (
    <svg
      class={level === undefined ? "share" : `share share-${level}`}
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class="share-ground" x="0" y="0" width="1000" height="10" />
      {open > known && <rect class="share-open" x={known} y="1" width={open - known} height="8" />}
      {known > 0 && <rect class="share-known" x="0" y="1" width={known} height="8" />}
      {mark !== undefined && <line class="share-mark" x1={mark} x2={mark} y1="0" y2="10" />}
    </svg>
  );
}
