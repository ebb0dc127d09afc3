import type { ComponentChildren } from "preact";
import { Command } from "./copy.tsx";
import "./empty.css";

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** The command that does the same as the next step. */
  readonly command?: string;
}

/** What is shown where there is nothing yet: why, and the next step. */
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
