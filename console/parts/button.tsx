import type { ComponentChildren } from "preact";
import "./button.css";

interface ButtonProps {
  /** `danger` for actions that cannot be undone. At most one visible button is `primary`. */
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  /** True while its action is in progress. The button cannot be pressed again. */
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
      // The attribute `disabled` would remove the focus from the button that was just pressed.
      aria-disabled={isOff || undefined}
      aria-busy={isBusy}
      aria-label={label}
      aria-pressed={pressed}
      // Enter in a form triggers a click of its submit button.
      onClick={isOff ? refuse : onClick}
    >
      {children}
    </button>
  );
}

function refuse(event: MouseEvent): void {
  event.preventDefault();
}
