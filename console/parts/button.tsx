import type { ComponentChildren } from "preact";
import "./button.css";

interface ButtonProps {
  /** `danger` for what cannot be undone; at most one `primary` in sight. */
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  /** While what it began is under way. It cannot begin twice. */
  readonly isBusy?: boolean;
  readonly disabled?: boolean;
  readonly label?: string;
  readonly pressed?: boolean;
  readonly onClick?: (event: MouseEvent) => void;
  readonly children: ComponentChildren;
}

export function Button({
  kind = "plain",
  type = "button",
  isBusy = false,
  disabled = false,
  label,
  pressed,
  onClick,
  children,
}: ButtonProps) {
  const isOff = disabled || isBusy;
  return (
    <button
      class={`button button-${kind}`}
      type={type}
      // Not `disabled`: that would take the focus from whoever has just pressed it.
      aria-disabled={isOff || undefined}
      aria-busy={isBusy}
      aria-label={label}
      aria-pressed={pressed}
      // The browser sends a form by pressing its button, whether by Enter or the mouse.
      onClick={isOff ? refuse : onClick}
    >
      {children}
    </button>
  );
}

function refuse(event: MouseEvent): void {
  event.preventDefault();
}
