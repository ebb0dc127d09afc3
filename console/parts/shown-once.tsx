import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { stayHere } from "../address.ts";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import "./shown-once.css";

interface ShownOnceProps {
  /** What it is, such as "The token of ada". */
  readonly title: ComponentChildren;
  readonly secret: string;
  /** What to do with it. */
  readonly children?: ComponentChildren;
  readonly onDone: () => void;
}

/**
 * A secret that was just made, in this page alone. Neither a click elsewhere nor Escape nor Back takes it away, and
 * the browser asks before the console is left.
 */
export function ShownOnce({ title, secret, children, onDone }: ShownOnceProps) {
  useEffect(() => {
    const warn = (event: Event) => event.preventDefault();
    const leave = stayHere();
    window.addEventListener("beforeunload", warn);
    return () => {
      window.removeEventListener("beforeunload", warn);
      leave();
    };
  }, []);
  return (
    <Dialog title={title} onClose={onDone} isKept>
      <div class="shown-once">
        <code>{secret}</code>
        <p>It is shown only now, and nobody can show it again: the service keeps nothing but its digest. {children}</p>
      </div>
      <div class="dialog-actions">
        <Copy text={secret} label="Copy the token" />
        <Button kind="primary" onClick={onDone}>
          I have kept it
        </Button>
      </div>
    </Dialog>
  );
}
