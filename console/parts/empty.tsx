import type { ComponentChildren } from "preact";
import { Command } from "./copy.tsx";
import "./empty.css";

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** The command for the next step. */
  readonly command?: string;
}

/** Shown for an empty list: why it is empty, and the next step. */
export function Empty({ title, children, command }: EmptyProps) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children && <p>{children}</p>}
      {command && <Command>{command}</Command>}
    </div>
  );
}
