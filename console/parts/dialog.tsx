import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import "./dialog.css";

interface DialogProps {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  /** For a window that only shows something: it can be closed beside its title, from the beginning. */
  readonly isToRead?: boolean;
  /** It closes only by what is in it, and not by Escape. */
  readonly isKept?: boolean;
  readonly children: ComponentChildren;
}

/** A window over the page. Escape closes it, and what opened it gets the focus back. */
export function Dialog({ title, onClose, isToRead = false, isKept = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // At once and not after the next frame: a key that was pressed until then would act on what has the focus still.
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
