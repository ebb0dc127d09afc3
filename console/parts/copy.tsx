import { useEffect, useState } from "preact/hooks";
import { typed } from "../program.ts";
import { Button } from "./button.tsx";
import "./copy.css";

/** Copies a text, and says that it has. */
export function Copy({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  const [said, say] = useState<string>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => say(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <>
      <Button
        kind="quiet"
        onClick={() => {
          const copied = copyText(text);
          void copied.then((ok) => say(ok ? "Copied" : "The browser does not allow it"));
        }}
      >
        {said ?? label}
      </Button>
      <span class="visually-hidden" aria-live="polite">
        {said}
      </span>
    </>
  );
}

/** A command line that does what the page does. */
export function Command({ children }: { readonly children: string }) {
  const command = typed(children);
  return (
    <div class="command">
      <code>{command}</code>
      <Copy text={command} />
    </div>
  );
}

/** Browsers have a clipboard only on loopback and behind TLS. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
