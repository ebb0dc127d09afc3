import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import "./dialog.css";

interface DialogProps {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  /** For a dialog that only shows something: it has a Close button beside its title. */
  readonly isToRead?: boolean;
  /** Escape does not close it; only a button inside does. */
  readonly isKept?: boolean;
  readonly children: ComponentChildren;
}

/** A modal dialog. Escape closes it, and the focus returns to the element that opened it. */
export function Dialog({ title, onClose, isToRead = false, isKept = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A layout effect, because a key pressed before the next frame would still act on the page behind.
  useLayoutEffect(() => {
    const own = dialog.current!;
    own.showModal();
    return () => own.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onClose={({ currentTarget }) => currentTarget.isConnected && (isKept ? currentTarget.showModal() : onClose())}
      onKeyDown={(event) => isKept && event.key === "Escape" && event.preventDefault()}
    >
      {isToRead ? (
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <Button onClick={onClose}>Close</Button>
        </header>
      ) : (
        <h2 id={id}>{title}</h2>
      )}
      {children}
    </dialog>
  );
}
