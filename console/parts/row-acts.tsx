import type { ComponentChildren } from "preact";
import "./row-acts.css";

/** What can be done with one row of a list. */
export function RowActs({ children }: { readonly children: ComponentChildren }) {
  return <div class="row-acts">{children}</div>;
}
