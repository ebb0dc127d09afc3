import type { ComponentChildren } from "preact";
import "./facts.css";

export interface Fact {
  readonly title: string;
  readonly value: ComponentChildren;
}

/** What is known of one thing: a name and a value each. */
export function Facts({ of }: { readonly of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of.map(({ title, value }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
