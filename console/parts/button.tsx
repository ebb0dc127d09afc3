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
  return (
    <button
      class={`button button-${kind}`}
      type={type}
      disabled={disabled || isBusy}
      aria-busy={isBusy}
      aria-label={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
