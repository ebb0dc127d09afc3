import type { ComponentChildren } from "preact";
import "./row-acts.css";

/** The actions of one row. */
export function RowActs({ children }: { readonly children: ComponentChildren }) {
  return <div class="row-acts">{children}</div>;
}
