import type { ComponentChildren } from "preact";
import "./facts.css";

export interface NamedValue {
  readonly title: string;
  readonly value: ComponentChildren;
}

/** Names and values of one object. */
export function Facts({ of }: { readonly of: readonly NamedValue[] }) {
  return (
    <FactList>
      {of.map(({ title, value }, at) => (
        <Fact key={at} title={title}>
          {value}
        </Fact>
      ))}
    </FactList>
  );
}

interface FactListProps {
  /** For short values: several beside each other, each below its name. */
  readonly isShort?: boolean;
  readonly children: ComponentChildren;
}

export function FactList({ isShort = false, children }: FactListProps) {
  return <dl class={isShort ? "facts-short" : "facts"}>{children}</dl>;
}

export function Fact({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
