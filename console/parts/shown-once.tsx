import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { blockHistory } from "../address.ts";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { useLeaveWarning } from "./use-leave-warning.ts";
import "./shown-once.css";

interface ShownOnceProps {
  /** What the secret is, such as "The token of ada". */
  readonly title: ComponentChildren;
  readonly secret: string;
  /** How to use the secret. */
  readonly children?: ComponentChildren;
  readonly onDone: () => void;
}

/**
 * Shows a secret that was just created. A click elsewhere, Escape and Back do not close it, and the browser asks before
 * the page is left.
 */
export function ShownOnce({ title, secret, children, onDone }: ShownOnceProps) {
  useEffect(() => blockHistory(), []);
  useLeaveWarning(true);
  return (
    <Dialog title={title} onClose={onDone} isKept>
      <div class="shown-once">
        <code>{secret}</code>
        <p>This secret is shown only once. The service stores only its digest and cannot show it again. {children}</p>
      </div>
      <div class="dialog-actions">
        <Copy text={secret} label="Copy the token" />
        <Button kind="primary" onClick={onDone}>
          I have saved it
        </Button>
      </div>
    </Dialog>
  );
}
