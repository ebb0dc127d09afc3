import type { ComponentChildren } from "preact";
import type { Series } from "./chart-props.ts";

/** The mark of a series beside its name. */
export function Key({ of, marks }: { readonly of: Series; readonly marks: "line" | "bar" }) {
  return (
    <svg class={`chart-key chart-${of.colour} ${of.isDashed ? "is-dashed" : ""}`} width="16" height="10">
      {marks === "line" ? (
        <path class="chart-line" d="M0 5h16" />
      ) : (
        <rect class="chart-bar" x="3" y="0.5" width="10" height="9" />
      )}
    </svg>
  );
}

interface ReadoutProps {
  readonly title: string;
  /** On the left if the pointer is on the right, so that it covers nothing of interest. */
  readonly isLeft: boolean;
  readonly children: ComponentChildren;
}

/** The values at the pointer. It lies over the chart, so that nothing moves. The table has the same figures. */
export function Readout({ title, isLeft, children }: ReadoutProps) {
  return (
    <div class={`chart-readout ${isLeft ? "is-left" : "is-right"}`} aria-hidden="true">
      <span class="chart-readout-title">{title}</span>
      {children}
    </div>
  );
}
