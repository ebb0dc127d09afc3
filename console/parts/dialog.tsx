import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import "./dialog.css";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** For a window that only shows something: it can be closed beside its title, from the beginning. */
  readonly isToRead?: boolean;
  readonly children: ComponentChildren;
}

/** A window over the page. Escape closes it, and what opened it gets the focus back. */
export function Dialog({ title, onClose, isToRead = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => opener?.focus();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-label={title} onClose={onClose}>
      {isToRead ? (
        <header class="dialog-head">
          <h2>{title}</h2>
          <Button onClick={onClose}>Close</Button>
        </header>
      ) : (
        <h2>{title}</h2>
      )}
      {children}
    </dialog>
  );
}
